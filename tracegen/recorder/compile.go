package recorder

import (
	"context"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

// sources are the C sources of the plugin and of the libraries that are preloaded.
//
//go:embed c
var sources embed.FS

// compilers are the C compilers that are tried, by instruction set of what they compile for. Elsewhere than on this processor,
// a cross compiler has to be there.
var compilers = map[string][]string{
	"x86_64":  {"x86_64-linux-gnu-gcc"},
	"aarch64": {"aarch64-linux-gnu-gcc"},
}

// compile compiles a source into a shared library in the user's cache folder, if it is not there, and returns its path.
func compile(ctx context.Context, source string, compiler []string, flags ...string) (string, error) {
	var cc string
	for _, name := range compiler {
		if path, err := exec.LookPath(name); err == nil {
			cc = path
			break
		}
	}
	if cc == "" {
		return "", fmt.Errorf("no C compiler (%s), which compiles the recorder once; install one: apt-get install gcc", strings.Join(compiler, ", "))
	}
	version, err := versionOf(ctx, cc)
	if err != nil {
		return "", err
	}
	flags = append(flags, "-O2", "-shared", "-fPIC", "-fvisibility=hidden", "-pthread")
	digest := sha256.New()
	fmt.Fprintf(digest, "%s\n%s\n%q\n", cc, version, flags)
	files, err := sources.ReadDir("c")
	if err != nil {
		return "", err
	}
	for _, f := range files {
		text, err := sources.ReadFile("c/" + f.Name())
		if err != nil {
			return "", err
		}
		digest.Write(text)
	}
	cache, err := os.UserCacheDir()
	if err != nil {
		return "", fmt.Errorf("finding the cache folder: %w", err)
	}
	folder := filepath.Join(cache, "spoor", "recorder", hex.EncodeToString(digest.Sum(nil))[:16])
	library := filepath.Join(folder, strings.TrimSuffix(source, ".c")+".so")
	if _, err := os.Stat(library); err == nil {
		return library, nil
	}
	return library, build(ctx, cc, source, folder, library, flags)
}

// versionOf returns what a compiler says of itself.
func versionOf(ctx context.Context, cc string) ([]byte, error) {
	version, err := exec.CommandContext(ctx, cc, "--version").Output()
	if err != nil {
		return nil, fmt.Errorf("%s --version: %w", cc, err)
	}
	if strings.HasPrefix(filepath.Base(cc), "mpicc") { // it calls the C compiler
		show, _ := exec.CommandContext(ctx, cc, "-show").Output() // of one without it, the version tells enough
		version = append(version, show...)
	}
	return version, nil
}

// build compiles aside and renames, as another tracegen may compile the same.
func build(ctx context.Context, cc, source, folder, library string, flags []string) error {
	if err := os.MkdirAll(folder, 0o777); err != nil {
		return fmt.Errorf("compiling the recorder: %w", err)
	}
	lock := filepath.Join(folder, "building")
	if os.Mkdir(lock, 0o777) == nil {
		defer os.Remove(lock)
	} else if awaitLibrary(ctx, library, lock) {
		return nil
	}
	temp, err := os.MkdirTemp(folder, "build")
	if err != nil {
		return fmt.Errorf("compiling the recorder: %w", err)
	}
	defer os.RemoveAll(temp)
	if err := os.CopyFS(temp, sources); err != nil {
		return fmt.Errorf("compiling the recorder: %w", err)
	}
	out := filepath.Join(temp, "out.so")
	cmd := exec.CommandContext(ctx, cc, append(flags, "-o", out, filepath.Join(temp, "c", source), "-ldl")...)
	if said, err := cmd.CombinedOutput(); err != nil {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		return errors.New("compiling " + source + " by " + cc + ": " + firstLine(string(said), err))
	}
	return os.Rename(out, library)
}

// awaitLibrary waits while another tracegen compiles, as those of all ranks of a program begin at once. It reports whether the
// library is there.
func awaitLibrary(ctx context.Context, library, lock string) bool {
	for end := time.Now().Add(time.Minute); time.Now().Before(end) && ctx.Err() == nil; time.Sleep(10 * time.Millisecond) {
		if _, err := os.Stat(library); err == nil {
			return true
		}
		if _, err := os.Stat(lock); err != nil {
			break
		}
	}
	_, err := os.Stat(library)
	_ = os.Remove(lock) // of one that was killed
	return err == nil
}

// firstLine returns the first line of a message, or the error if there is none.
func firstLine(said string, err error) string {
	line, _, _ := strings.Cut(strings.TrimSpace(said), "\n")
	if line == "" {
		return err.Error()
	}
	return line
}
