package folder

// nonblock is zero: a file system of Windows holds no pipes.
const nonblock = 0

// streamSeparator separates a file name from that of an alternate data stream,
// as in a.md:b.
const streamSeparator = ":"
