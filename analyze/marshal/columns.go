package marshal

// Columns documents the table for help texts.
const Columns = `Table marshal, by proc, line size, kind and class of messages (equal layout of the buffer):
  line            bytes of a memory line
  bytes           bytes of one message
  count, block    number of blocks, and bytes of a block
  stride          bytes from the start of one block to the next
  offset          address modulo the line size
                  In the five columns above, -1 means unknown or several values.
  messages        number of messages
  total           bytes of all messages
  packed          lines if each message were contiguous from the beginning of a line; sum over messages
  expected        lines touched, averaged over all addresses; sum over messages
  lower, upper    bounds of [hur1999] for one message (row or column); -1 where the theorem does not hold
  placed          messages whose address is known
  mlt             lines that placed messages touch, exactly
  measured        placed messages of processors that have references, except receives that no wait completes
  used            lines of the buffers of measured messages that the program loads or stores: before a send or
                  collective since the processor's previous message; after a receive until its next message.
                  An irecv counts where it completes: at its wait or test.
`
