package vault

// nonblock is nothing: files of Windows' file systems are never pipes.
const nonblock = 0

// streamMark separates a file from its streams: a.md:b is another content of
// a.md.
const streamMark = ":"
