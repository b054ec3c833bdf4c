package chart

import (
	"crypto/sha256"
	"fmt"
	"os"
	"strings"
	"testing"
)

// The library is what its project published, its licence beside it.
func TestLibraryIsAsPublished(t *testing.T) {
	if got := fmt.Sprintf("%x", sha256.Sum256([]byte(library))); got != librarySHA256 {
		t.Errorf("echarts.min.js has SHA-256 %s, not that of version %s, %s", got, libraryVersion, librarySHA256)
	}
	if !strings.Contains(library, `version="`+libraryVersion+`"`) && !strings.Contains(library, `"`+libraryVersion+`"`) {
		t.Errorf("echarts.min.js does not say that it is version %s", libraryVersion)
	}
	for _, name := range []string{"LICENSE", "NOTICE", "README.md"} {
		t.Run(name, func(t *testing.T) {
			text, err := os.ReadFile("echarts/" + name)
			if err != nil || len(text) == 0 {
				t.Errorf("%d bytes, %v", len(text), err)
			}
		})
	}
}

// Neither script may end, or hide the end of, the element that it is in.
func TestScriptsStayInTheirElements(t *testing.T) {
	for i, s := range Scripts() {
		for _, bad := range []string{"</script", "<!--"} {
			if strings.Contains(strings.ToLower(string(s)), bad) {
				t.Errorf("script %d contains %s", i, bad)
			}
		}
	}
}
