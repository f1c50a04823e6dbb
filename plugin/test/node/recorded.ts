// Where the stand-in answers other than Logseq was recorded to, and why that is
// known and left: scenario, and the numbers of its calls.

const differs: [reason: string, calls: Record<string, number[]>][] = [
  [
    'a method that the plugin does not call, and the stand-in does not have',
    {
      'about': [5, 6, 7, 15],
      'pages': [25],
      'odds': [26],
      'markdown': [103],
      'typed properties': [160],
      'own properties': [28, 29],
      'tags': [22],
      'journals': [18],
      'recycle': [24],
      'person': [13],
      'queries': [12, 13, 14, 15, 16, 20, 21, 22, 23],
      'og pages': [6, 17, 23],
      'og blocks': [9, 29, 35, 36],
      'og batch': [15],
      'og markdown': [20, 22],
      'og templates and search': [6, 7],
    },
  ],
  [
    'the order of a value among the values of the graph, which every batch moves on',
    {
      'batch': [12],
    },
  ],
  [
    'the events of DataScript\'s own transactions, with other transaction ids and fewer datoms',
    {
      'person': [6, 12],
      'og blocks': [38],
    },
  ],
  [
    'counts and rows of Logseq\'s own hidden entities, of which the stand-in has those that a plugin is shown',
    {
      'queries': [6, 10],
    },
  ],
  [
    'the recording is of a plain scan, as its README says: only the shape is Logseq\'s',
    {
      'queries': [17],
    },
  ],
  [
    'texts whose links, tags and macros Logseq\'s parser takes further than the stand-in does, and the ids after them; the plugin reads no more of these answers than the uuid',
    {
      'og pages': [13, 20, 22],
      'og blocks': [20, 22],
      'og markdown': [7, 10, 11, 12, 13, 15, 17, 18, 23],
      'og templates and search': [3],
    },
  ],
  [
    'graphs that are read from files, and the files that are written, which are no part of the stand-in',
    {
      'og pages': [18, 25],
      'og blocks': [30, 32, 37],
      'og batch': [16],
      'og markdown': [21],
      'og properties': [30],
      'og org': [1, 2, 3, 5, 6, 7, 8, 9, 10, 12],
      'og files': [1, 2, 4, 5, 6, 8, 9, 10, 11],
      'og journals': [7],
    },
  ],
  [
    'a block with a property whose name has a blank, which Logseq repeats at each write after it; the plugin writes no such names',
    {
      'og properties': [6, 8, 10, 12, 14, 16, 18, 20, 21, 24, 25, 27, 29],
    },
  ],
  [
    'journals by their titles without being asked for one, which the plugin does not do',
    {
      'og journals': [2, 3, 4, 5, 6],
    },
  ],
]

/** The reasons by call, as "scenario 3". */
export function exceptions(): Map<string, string> {
  return new Map(differs.flatMap(([reason, calls]) => Object.entries(calls).flatMap(([scenario, all]) => all.map((nth): [string, string] => [`${scenario} ${nth}`, reason]))))
}
