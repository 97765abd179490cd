package frame

// Len is the number of instances of the newer object.
func (p *Pair) Len() int { return p.len() }

// Position is the object's position in its frame.
func (o Object) Position() int { return o.at }
