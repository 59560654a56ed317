package main

// A clipboard copies and pastes beside the frames: the tools may take a while,
// and no frame waits for them.
type clipboard struct {
	pasted chan string // nil: nothing was asked for
	done   chan error
	Note   string // what became of the last copy, for the player
}

// copy puts text on the clipboard, some time soon.
func (b *clipboard) copy(text string) {
	done := make(chan error, 1)
	b.done, b.Note = done, ""
	go func() { done <- copyText(text) }()
}

// ask asks for what is on the clipboard; poll gives it when it comes.
func (b *clipboard) ask() {
	pasted := make(chan string, 1)
	b.pasted = pasted
	go func() {
		text, err := pasteText()
		if err == nil {
			pasted <- text
		}
		close(pasted)
	}()
}

// poll looks, without waiting, whether something was pasted, or copied.
func (b *clipboard) poll() (pasted string) {
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
	case pasted = <-b.pasted:
		b.pasted = nil
	default:
	}
	return pasted
}
