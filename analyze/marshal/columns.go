package marshal

// Columns says what the columns of the table mean, for the help of the command.
const Columns = `Table of marshal, by proc, line (bytes of a line), kind, and class of messages: bytes of one, count blocks of
block bytes, stride apart, and offset, the address modulo the line size; -1 is not known, or several:
    messages, total       how many, and their bytes together
    packed                lines of as many bytes from the beginning of a line, contiguous, of all messages
    expected              mean lines touched over all addresses, of all messages
    lower, upper          bounds of [hur1999] for one message, of a row or of a column; -1 where they do not hold
    placed, mlt           messages whose address is known, and the lines that they touch, exactly
    measured, used        of these, messages of processors that have references, but for receives that nobody waits for; and the
                          lines of their buffers that the program loads or stores: before a send or a collective, since its
                          last message; behind a receive, up to its next. An irecv is where it has come: at its wait or test
`
