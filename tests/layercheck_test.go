package tests

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// A house is a set of rules about a module's source. Directories are relative
// to the module's root, with slashes, and mean what is below them too.
type house struct {
	module       string
	mayImport    map[string][]string // directory: the directories of ours it may import beside itself
	onlyIn       map[string][]string // module outside: the directories that may import it; the longest that fits decides
	neverReaches map[string][]string // directory: modules that not even what it imports may import
	core         map[string][]string // directory, without those below: its edge files; all others are core
}

// A source is one parsed Go file.
type source struct {
	dir, name string
	file      *ast.File
	fset      *token.FileSet
}

func (s source) isTest() bool { return strings.HasSuffix(s.name, "_test.go") }

func (s source) complain(at token.Pos, format string, args ...any) string {
	return fmt.Sprintf("%s:%d: %s", path.Join(s.dir, s.name), s.fset.Position(at).Line, fmt.Sprintf(format, args...))
}

// imports gives the path of each import with its place.
func (s source) imports() map[string]token.Pos {
	found := map[string]token.Pos{}
	for _, spec := range s.file.Imports {
		p, _ := strconv.Unquote(spec.Path.Value)
		found[p] = spec.Pos()
	}
	return found
}

// check gives every way in which the files under root break the rules.
func (h house) check(t *testing.T, root string) (complaints []string) {
	t.Helper()
	sources := parseTree(t, root)
	for _, s := range sources {
		complaints = append(complaints, h.checkImports(s)...)
		if edge, ok := h.core[s.dir]; ok && !s.isTest() && !slices.Contains(edge, s.name) {
			complaints = append(complaints, checkCore(s)...)
		}
	}
	complaints = append(complaints, h.checkReach(sources)...)
	complaints = append(complaints, h.checkEdgeList(root)...)
	slices.Sort(complaints)
	return complaints
}

// parseTree parses every Go file of the module at root, whatever system it is
// built for. Modules inside it and hidden directories are not its own.
func parseTree(t *testing.T, root string) (sources []source) {
	t.Helper()
	fset := token.NewFileSet()
	err := filepath.WalkDir(root, func(p string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && p != root && (strings.HasPrefix(d.Name(), ".") || d.Name() == "testdata" || isModule(p)) {
			return filepath.SkipDir
		}
		if d.IsDir() || !strings.HasSuffix(p, ".go") {
			return nil
		}
		file, err := parser.ParseFile(fset, p, nil, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		dir, err := filepath.Rel(root, filepath.Dir(p))
		sources = append(sources, source{filepath.ToSlash(dir), d.Name(), file, fset})
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return sources
}

func isModule(dir string) bool {
	_, err := os.Stat(filepath.Join(dir, "go.mod"))
	return err == nil
}

// checkImports looks at who imports whom.
func (h house) checkImports(s source) (complaints []string) {
	rule, ok := nearest(h.mayImport, s.dir)
	for p, at := range s.imports() {
		if dir, ours := strings.CutPrefix(p, h.module+"/"); ours {
			may := append([]string{rule}, h.mayImport[rule]...)
			if s.isTest() {
				may = append(may, "tests")
			}
			switch {
			case !ok:
				complaints = append(complaints, s.complain(at, "%s has no rule, and imports %s", s.dir, dir))
			case !within(dir, may):
				complaints = append(complaints, s.complain(at, "%s may not import %s", rule, dir))
			}
			continue
		}
		if module, restricted := nearest(h.onlyIn, p); restricted && !within(s.dir, h.onlyIn[module]) {
			complaints = append(complaints, s.complain(at, "%s may not import %s", s.dir, p))
		}
	}
	return complaints
}

// nearest gives the longest key that is p or a directory above it.
func nearest(m map[string][]string, p string) (key string, ok bool) {
	for k := range m {
		if within(p, []string{k}) && len(k) >= len(key) {
			key, ok = k, true
		}
	}
	return key, ok
}

// within says whether p is one of dirs or below one.
func within(p string, dirs []string) bool {
	return slices.ContainsFunc(dirs, func(dir string) bool {
		return p == dir || strings.HasPrefix(p, dir+"/")
	})
}

// Outside is what a core file may not import: the network, the system, other
// goroutines, and randomness that no seed decides.
var outside = []string{"net", "os", "sync", "context", "crypto/rand", "syscall", "log", "runtime",
	"golang.org/x/net", "golang.org/x/sys", "golang.org/x/sync"}

// Innocent is what would be outside by its path and is not.
var innocent = []string{"net/netip", "log/slog"}

// clockWords are what a core file may not say of package time: it is told the
// time, and never waits.
var clockWords = []string{"Now", "Since", "Until", "After", "AfterFunc", "Sleep", "NewTimer", "NewTicker", "Tick"}

// checkCore looks for what a core file may not do.
func checkCore(s source) (complaints []string) {
	for p, at := range s.imports() {
		if within(p, outside) && !slices.Contains(innocent, p) {
			complaints = append(complaints, s.complain(at, "a core file may not import %s", p))
		}
	}
	clock := localName(s, "time")
	if clock == "." {
		complaints = append(complaints, s.complain(s.file.Pos(), "a core file imports time by its name"))
	}
	dice := []string{localName(s, "math/rand"), localName(s, "math/rand/v2")}
	ast.Inspect(s.file, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.GoStmt:
			complaints = append(complaints, s.complain(n.Pos(), "a core file starts no goroutine"))
		case *ast.SelectorExpr:
			x, ok := n.X.(*ast.Ident)
			switch {
			case !ok || x.Name == "":
			case x.Name == clock && slices.Contains(clockWords, n.Sel.Name):
				complaints = append(complaints, s.complain(n.Pos(), "a core file may not say time.%s", n.Sel.Name))
			case slices.Contains(dice, x.Name) && isGlobalDice(n.Sel.Name):
				complaints = append(complaints, s.complain(n.Pos(), "a core file may not say rand.%s: no seed decides it", n.Sel.Name))
			}
		}
		return true
	})
	return complaints
}

// localName is what a file calls an import, "" if it does not import it.
func localName(s source, importPath string) string {
	for _, spec := range s.file.Imports {
		if p, _ := strconv.Unquote(spec.Path.Value); p != importPath {
			continue
		}
		if spec.Name != nil {
			return spec.Name.Name
		}
		if importPath == "math/rand/v2" {
			return "rand"
		}
		return path.Base(importPath)
	}
	return ""
}

// isGlobalDice says whether a function of math/rand draws from the process's
// own source: all but constructors and types do.
func isGlobalDice(name string) bool {
	types := []string{"Rand", "Source", "Source64", "PCG", "ChaCha8", "Zipf"}
	return !strings.HasPrefix(name, "New") && !slices.Contains(types, name)
}

// checkReach follows the imports of our own packages to the modules that some
// of them must never reach.
func (h house) checkReach(sources []source) (complaints []string) {
	imports := map[string]map[string]bool{} // directory: paths that its files, tests apart, import
	for _, s := range sources {
		if s.isTest() {
			continue
		}
		if imports[s.dir] == nil {
			imports[s.dir] = map[string]bool{}
		}
		for p := range s.imports() {
			imports[s.dir][p] = true
		}
	}
	for dir, modules := range h.neverReaches {
		for p, way := range h.reach(imports, dir) {
			if within(p, modules) {
				complaints = append(complaints, fmt.Sprintf("%s reaches %s by way of %s", dir, p, way))
			}
		}
	}
	return complaints
}

// reach gives every path that dir imports, at any remove, with the directory
// of ours that imports it.
func (h house) reach(imports map[string]map[string]bool, dir string) map[string]string {
	found, queue := map[string]string{}, []string{dir}
	for len(queue) > 0 {
		dir, queue = queue[0], queue[1:]
		for _, p := range slices.Sorted(maps.Keys(imports[dir])) {
			if _, seen := found[p]; seen {
				continue
			}
			found[p] = dir
			if ours, ok := strings.CutPrefix(p, h.module+"/"); ok {
				queue = append(queue, ours)
			}
		}
	}
	return found
}

// checkEdgeList looks for edge files that are gone: a file that later took
// such a name would be excused without anyone having decided it.
func (h house) checkEdgeList(root string) (complaints []string) {
	for dir, files := range h.core {
		for _, name := range files {
			if _, err := os.Stat(filepath.Join(root, dir, name)); err != nil {
				complaints = append(complaints, fmt.Sprintf("%s is listed as an edge file, and is not there", path.Join(dir, name)))
			}
		}
	}
	return complaints
}

// places are what no file of the project names: the directories of somebody's
// machine, and the hosts that packages happened to come from. They are written
// in two halves, because this file is of the project too.
var places = []string{
	"/wo" + "rk/", "/ho" + "me/", "/ro" + "ot/", "/Use" + "rs/", `\Use` + `rs\`, "/tm" + "p/",
	"proxy.gol" + "ang.org", "sum.gol" + "ang.org", "gopr" + "oxy.", "registry.npm" + "js.org", "deb.deb" + "ian.org",
	"py" + "pi.org", "crat" + "es.io",
}

// checkPlaces looks for them in every text file under root, modules inside it
// included.
func checkPlaces(t *testing.T, root string) (complaints []string) {
	t.Helper()
	err := filepath.WalkDir(root, func(p string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && (d.Name() == ".git" || d.Name() == "node_modules") {
			return filepath.SkipDir
		}
		if !d.Type().IsRegular() || d.Name() == ".git" || d.Name() == "go.sum" {
			return nil
		}
		data, err := os.ReadFile(p)
		if err != nil || strings.Contains(string(data[:min(len(data), 8000)]), "\x00") {
			return err
		}
		for number, line := range strings.Split(string(data), "\n") {
			for _, place := range places {
				if strings.Contains(line, place) {
					complaints = append(complaints, fmt.Sprintf("%s:%d: names %s", p, number+1, place))
				}
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return complaints
}
