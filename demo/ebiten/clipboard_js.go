package main

import (
	"errors"
	"syscall/js"
)

// copyText puts text on the browser's clipboard.
func copyText(text string) error {
	board := js.Global().Get("navigator").Get("clipboard")
	if board.IsUndefined() {
		return errors.New("this page may not use the clipboard")
	}
	board.Call("writeText", text)
	return nil
}

// pasteText takes text from the browser's clipboard, which asks the user.
func pasteText() (string, error) {
	board := js.Global().Get("navigator").Get("clipboard")
	if board.IsUndefined() {
		return "", errors.New("this page may not use the clipboard")
	}
	answer := make(chan string, 1)
	got := js.FuncOf(func(_ js.Value, args []js.Value) any { answer <- args[0].String(); return nil })
	failed := js.FuncOf(func(js.Value, []js.Value) any { close(answer); return nil })
	defer got.Release()
	defer failed.Release()
	board.Call("readText").Call("then", got, failed)
	text, ok := <-answer
	if !ok {
		return "", errors.New("the browser did not allow it")
	}
	return text, nil
}
