package comm

// Columns documents the tables for help texts.
const Columns = `Tables:

  comm, by from, to and kind of message:
    messages, bytes        number of messages, and their total bytes
    least, most            bytes of the shortest and of the longest message

  comm_sizes, by kind and size class (least to most bytes):
    messages, bytes        as above

  comm_procs, by proc:
    work                   work of the processor
    messages, sent         messages that it sends, and their bytes
    received               bytes that it receives
    partners               processors to which it sends
    receives, collectives  receives that it posts, and collectives that it calls

  comm_collectives, by group, kind and root (-1: none):
    members, calls, bytes  members that call it, number of calls, and bytes of all members

  comm_path, the critical path: the longest chain of events in which each depends on the one before:
    message_cost, byte_cost  what a message and a byte add to the path
    length, work           length of the path, and work on it, in the trace's unit of work
    messages, bytes        messages on the path, and their bytes
    proc                   processor where it ends
    total, parallelism     work of all processors, and total/length
    released               events without their partners; they do not wait

  comm_networks, by network, for messages between different processors:
    hops, neighbours       mean number of links of a route; share of messages with the shortest possible route
    from, to, messages     link with the most messages, and their number (nodes from procs on are switches)
    bytes                  most bytes on any link
    traffic_gap            gap g of LogP by the busiest link, in times of one message on a link
    bisection_gap          gap g of LogP by the bisection, in the same unit
    traffic_time           traffic_gap in seconds: bytes of the busiest link for each message that a processor
                           sends
    bisection_time         bisection_gap in seconds, for a message of mean size

--collectives NAME replaces each recorded collective by messages (default apart):
  apart     no messages; collectives are counted separately. They still synchronize on the critical path: each
            member gets one message from each member whose data it needs
  linear    between the root (or the first member) and all others; scan: from each member to the next
  binomial  along binomial trees; scan: recursive doubling
  doubling  recursive doubling (allreduce, scan), Bruck (allgather, alltoall), dissemination (barrier), else
            trees
  ring      rings (allreduce, allgather, bcast in parts), chain (scan), pairs (alltoall); else as doubling
`
