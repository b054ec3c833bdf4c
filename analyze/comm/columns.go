package comm

// Columns says what the columns of the tables mean, for the help of the command.
const Columns = `Tables of comm:
  comm              by from, to and kind: messages, their bytes together, and the least and the most of one
  comm_sizes        by kind and size, from least to most bytes: messages and their bytes together
  comm_procs        by proc: work, messages and bytes sent, bytes received, partners that it sends to, receives and
                    collectives that it calls
  comm_collectives  by group, kind and root (-1: none): members that call it, calls, bytes of all members together
  comm_path         the longest chain of events that need each other:
    message_cost, byte_cost  what a message adds to it
    length, work             its length, and the work in it, in the unit of the trace's work
    messages, bytes, proc    on it, and the processor where it ends
    total, parallelism       work of all processors, and total/length
    released                 events that would have waited for ever, and did not
  comm_networks     by network, of messages between different processors:
    hops, neighbours         mean links on a message's way, and the share of messages with the fewest there can be
    from, to, messages       the link with most messages (nodes from procs on are switches)
    bytes                    most bytes on any link
    traffic_gap              g of LogP by the busiest link, and
    bisection_gap            by the bisection, in times of a message
    traffic_time             both in seconds, by bytes: of the busiest link for each message that a
    bisection_time           processor sends; of the mean message
  Messages of recorded collectives, by --collectives: apart, none but on the path, one from each member to each that needs something
  of it; linear, between the root, or the first member, and all others, of scan from one to the next; binomial, along trees, of scan
  by doubling; doubling, by recursive doubling (allreduce, scan), Bruck's algorithms (allgather, alltoall), dissemination (barrier),
  trees else; ring, in rings (allreduce, allgather, bcast of pieces), from one to the next (scan), in pairs (alltoall), else as doubling
`
