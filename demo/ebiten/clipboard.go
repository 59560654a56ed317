//go:build !js

package main

import (
	"errors"
	"os/exec"
	"runtime"
	"strings"
)

// errNoClipboard: Ebitengine has no clipboard, so the system's own tools are
// asked.
var errNoClipboard = errors.New("no clipboard: install xclip, xsel or wl-clipboard")

// copyTools and pasteTools are what each system has, the likeliest first.
func copyTools() [][]string {
	switch runtime.GOOS {
	case "darwin":
		return [][]string{{"pbcopy"}}
	case "windows":
		return [][]string{{"clip.exe"}}
	}
	return [][]string{{"wl-copy"}, {"xclip", "-selection", "clipboard"}, {"xsel", "-ib"}}
}

func pasteTools() [][]string {
	switch runtime.GOOS {
	case "darwin":
		return [][]string{{"pbpaste"}}
	case "windows":
		return [][]string{{"powershell.exe", "-NoProfile", "-Command", "Get-Clipboard"}}
	}
	return [][]string{{"wl-paste", "-n"}, {"xclip", "-selection", "clipboard", "-o"}, {"xsel", "-ob"}}
}

// copyText puts text on the clipboard. It runs another program, so it is not to
// be called from a frame; see clipboard.
func copyText(text string) error {
	for _, tool := range copyTools() {
		cmd := exec.Command(tool[0], tool[1:]...)
		cmd.Stdin = strings.NewReader(text)
		if cmd.Run() == nil {
			return nil
		}
	}
	return errNoClipboard
}

// pasteText takes text from the clipboard, under the same condition.
func pasteText() (string, error) {
	for _, tool := range pasteTools() {
		if out, err := exec.Command(tool[0], tool[1:]...).Output(); err == nil {
			return strings.TrimSpace(string(out)), nil
		}
	}
	return "", errNoClipboard
}
