package tests

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// A code block of a document says above it, in a comment that readers do not
// see, which file it is from: <!-- net/example_greeting_test.go -->. That file
// is compiled with everything else, and run by a test: an Example, or a
// program of the demos.
var (
	codeBlock = regexp.MustCompile("(?s)(?:<!-- ([^ ]+) -->\n)?```go\n(.*?)```\n")
	link      = regexp.MustCompile(`\]\(([^)#]+)(?:#[^)]*)?\)`)
	makeWord  = regexp.MustCompile("make ([a-z]+)")
	target    = regexp.MustCompile(`(?m)^([a-z]+):`)
)

// document gives a file of the project, by its path from the top.
func document(t *testing.T, path string) string {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("..", filepath.FromSlash(path)))
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// checkCode gives what is wrong with a document's Go code: each block has to
// be in the file that it names, word for word. file gives a file's text.
func checkCode(text string, file func(path string) (string, error)) (complaints []string) {
	for _, block := range codeBlock.FindAllStringSubmatch(text, -1) {
		path, code := block[1], block[2]
		first, _, _ := strings.Cut(code, "\n")
		if path == "" {
			complaints = append(complaints, fmt.Sprintf("the code that begins %q names no file", first))
			continue
		}
		source, err := file(path)
		if err != nil {
			complaints = append(complaints, err.Error())
		} else if !strings.Contains(source, code) && !strings.Contains(withoutTab(source), code) {
			complaints = append(complaints, fmt.Sprintf("%s does not have the code that begins %q", path, first))
		}
	}
	return complaints
}

// withoutTab moves a source one step to the left: what stands in a function
// there may stand alone in a document.
func withoutTab(source string) string { return strings.ReplaceAll("\n"+source, "\n\t", "\n") }

func TestCodeInTheReadmeIsCodeThatIsCompiled(t *testing.T) {
	text := document(t, "README.md")
	if !strings.Contains(text, "```go") {
		t.Error("the README has no Go code")
	}
	for _, complaint := range checkCode(text, func(path string) (string, error) {
		data, err := os.ReadFile(filepath.Join("..", filepath.FromSlash(path)))
		return string(data), err
	}) {
		t.Error(complaint)
	}
}

func TestCodeThatIsNotCompiledIsComplainedOf(t *testing.T) {
	file := func(path string) (string, error) {
		if path != "a.go" {
			return "", fmt.Errorf("%s: no such file", path)
		}
		return "package a\n\nfunc f() {\n\tg()\n}\n", nil
	}
	for text, want := range map[string]string{
		"x\n\n<!-- a.go -->\n```go\nfunc f() {\n\tg()\n}\n```\ny\n": "",
		"```go\nfunc f() {\n```\n":                                  "names no file",
		"<!-- a.go -->\n\n```go\nfunc f() {\n```\n":                 "names no file",
		"<!-- a.go -->\n```go\nfunc f() {\n\th()\n}\n```\n":         `a.go does not have the code that begins "func f() {"`,
		"<!-- a.go -->\n```go\ng()\n```\n":                          "",
		"<!-- b.go -->\n```go\nfunc f() {\n```\n":                   "b.go: no such file",
	} {
		got := strings.Join(checkCode(text, file), "; ")
		if got != want && (want == "" || !strings.Contains(got, want)) {
			t.Errorf("of %q the complaint is %q, want %q", text, got, want)
		}
	}
}

func TestDocumentsLinkToWhatIsThere(t *testing.T) {
	for _, pattern := range []string{"*.md", "*/*.md", "*/*/*.md"} {
		documents, err := filepath.Glob(filepath.Join("..", pattern))
		if err != nil {
			t.Fatal(err)
		}
		for _, document := range documents {
			checkLinks(t, document)
		}
	}
}

func checkLinks(t *testing.T, document string) {
	text, err := os.ReadFile(document)
	if err != nil {
		t.Fatal(err)
	}
	for _, found := range link.FindAllStringSubmatch(string(text), -1) {
		to := found[1]
		if strings.Contains(to, "://") {
			continue
		}
		if _, err := os.Stat(filepath.Join(filepath.Dir(document), filepath.FromSlash(to))); err != nil {
			t.Errorf("%s links to %s: %v", document, to, err)
		}
	}
}

func TestReadmeNamesOnlyTargetsOfTheMakefile(t *testing.T) {
	targets := map[string]bool{}
	for _, found := range target.FindAllStringSubmatch(document(t, "Makefile"), -1) {
		targets[found[1]] = true
	}
	found := makeWord.FindAllStringSubmatch(document(t, "README.md"), -1)
	if len(found) == 0 {
		t.Error("the README does not say make")
	}
	for _, word := range found {
		if !targets[word[1]] {
			t.Errorf("the README says %q, and the Makefile has no such target", word[0])
		}
	}
}

// The matchmaker's flags, as its program declares them and as documents name
// them in code.
var (
	declaredFlag = regexp.MustCompile(`flag\.\w+\((?:&[\w.]+, )?"([a-z0-9-]+)"`)
	section      = regexp.MustCompile(`(?s)## Your own matchmaker\n(.*?)\n## `)
	fence        = regexp.MustCompile("(?s)```.*?```")
	codeSpan     = regexp.MustCompile("`([^`]+)`")
	namedFlag    = regexp.MustCompile(`(?:^| )-([a-z0-9-]+)`)
)

func TestReadmeNamesOnlyFlagsOfTheMatchmaker(t *testing.T) {
	declared := map[string]bool{"h": true}
	for _, found := range declaredFlag.FindAllStringSubmatch(document(t, "matchmaker/cmd/matchmaker/options.go"), -1) {
		declared[found[1]] = true
	}
	text := section.FindStringSubmatch(document(t, "README.md"))
	if text == nil || len(declared) < 20 {
		t.Fatalf("no section on the matchmaker, or only %d flags", len(declared))
	}
	named := 0
	for _, span := range codeSpan.FindAllStringSubmatch(fence.ReplaceAllString(text[1], ""), -1) {
		if strings.Contains(span[1], "go ") {
			continue // the go command's
		}
		for _, found := range namedFlag.FindAllStringSubmatch(span[1], -1) {
			if named++; !declared[found[1]] {
				t.Errorf("the README says -%s, and the matchmaker has no such flag", found[1])
			}
		}
	}
	if named < 10 {
		t.Errorf("only %d flags are named", named)
	}
}

func TestTheReadmesUnitIsOfTheFile(t *testing.T) {
	unit := document(t, "matchmaker/cmd/matchmaker/matchmaker.service")
	block := regexp.MustCompile("(?s)```ini\n(.*?)```").FindStringSubmatch(document(t, "README.md"))
	if block == nil || !strings.Contains(unit, block[1]) {
		t.Error("the README shows another unit than the file")
	}
}
