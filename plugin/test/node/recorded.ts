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
      'queries': [15, 16, 20, 21, 22, 23],
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
    'references of the blocks above, which Logseq keeps with a block as soon as it has worked them out; the stand-in works them out for its answers',
    {
      'og markdown': [23],
    },
  ],
]

/** The reasons by call, as "scenario 3". */
export function exceptions(): Map<string, string> {
  return new Map(differs.flatMap(([reason, calls]) => Object.entries(calls).flatMap(([scenario, all]) => all.map((nth): [string, string] => [`${scenario} ${nth}`, reason]))))
}
