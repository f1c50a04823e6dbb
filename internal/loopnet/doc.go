// Package loopnet is everything that makes a local socket safe to listen on:
// unix sockets and named pipes whose peers are the same user, a TCP listener
// that cannot leave the loopback interface, token files, the guard that every
// HTTP request passes before its body is read, and a server that no client can
// block.
//
// It is not a protocol: it does not know what is said over a connection, which
// routes exist, or which tools a token opens. Those come in as values.
//
// supervisor/daemon listens and dials with it, status/loopback talks over it,
// bridge and hub put their HTTP behind its Guard, and cmd wires it.
//
// Start reading at guard.go for HTTP and at socket_unix.go for sockets.
package loopnet
