package dimemas

// request names what a wait waits for: a receive, or a collective if op is not negative.
type request struct{ from, tag, comm, op int64 }

// openRequests are the immediate receives and collectives of a task. Most tasks have few at a time, which are searched
// one after the other.
type openRequests struct {
	few   []openRequest       // the oldest, in their order
	many  map[request][]int32 // the others, oldest first
	count int                 // in many
}

type openRequest struct {
	request
	id int32
}

const (
	fewRequests = 8
	// keptQueues is the number of queues up to which empty ones keep their memory.
	keptQueues = 1 << 10
)

// add opens a request.
func (o *openRequests) add(key request, id int32) {
	if o.count == 0 && len(o.few) < fewRequests {
		o.few = append(o.few, openRequest{key, id})
		return
	}
	if o.many == nil {
		o.many = map[request][]int32{}
	}
	o.many[key] = append(o.many[key], id)
	o.count++
}

// take closes the oldest request of the first key that has one.
func (o *openRequests) take(keys ...request) (id int32, found bool) {
	for _, key := range keys {
		for i := range o.few {
			if o.few[i].request == key {
				id = o.few[i].id
				o.few = append(o.few[:i], o.few[i+1:]...)
				return id, true
			}
		}
		if queue := o.many[key]; len(queue) > 0 {
			o.pop(key, queue)
			return queue[0], true
		}
	}
	return 0, false
}

// pop removes the first of a queue.
func (o *openRequests) pop(key request, queue []int32) {
	o.count--
	switch {
	case len(queue) > 1:
		o.many[key] = queue[1:]
	case len(o.many) > keptQueues:
		delete(o.many, key)
	default:
		o.many[key] = queue[:0]
	}
}
