package main

// A clipboard copies and pastes beside the frames: the tools may take a while,
// and no frame waits for them.
type clipboard struct {
	pasted chan pasted // nil: nothing was asked for
	done   chan error
	Note   string // what became of the last copy, or why nothing was pasted, for the player
}

// A pasted is what was on the clipboard, or why that is not known.
type pasted struct {
	text string
	err  error
}

// copy puts text on the clipboard, some time soon.
func (b *clipboard) copy(text string) {
	if text == "" {
		b.Note = "nothing to copy yet"
		return
	}
	done := make(chan error, 1)
	b.done, b.Note = done, ""
	go func() { done <- copyText(text) }()
}

// ask asks for what is on the clipboard; poll gives it when it comes.
func (b *clipboard) ask() {
	answer := make(chan pasted, 1)
	b.pasted, b.Note = answer, ""
	go func() {
		text, err := pasteText()
		answer <- pasted{text, err}
	}()
}

// poll looks, without waiting, whether something was pasted, or copied.
func (b *clipboard) poll() (text string) {
	select {
	case err := <-b.done:
		b.done = nil
		b.Note = "copied"
		if err != nil {
			b.Note = err.Error()
		}
	default:
	}
	select {
	case p := <-b.pasted:
		b.pasted, text = nil, p.text
		if p.err != nil {
			b.Note = p.err.Error()
		} else if text == "" {
			b.Note = "nothing to paste"
		}
	default:
	}
	return text
}
