package folder

// nonblock is zero: a file system of Windows holds no pipes.
const nonblock = 0

// streamSeparator separates a file name from that of an alternate data stream,
// as in a.md:b.
const streamSeparator = ":"

// hasShortNames: a folder may be opened by a second, short name too, which rules
// about its name do not know.
const hasShortNames = true
