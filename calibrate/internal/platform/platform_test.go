package platform

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"spoor/calibrate/machine"
)

// imported imports a text.
func imported(t testing.TB, text, cluster string) (*Imported, error) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "x.cfg")
	if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	return Import(path, cluster)
}

var comments = regexp.MustCompile(` *#.*`)

// keys are the keys and values of a section, without comments and quotes, separated by semicolons.
func keys(m *Imported, section string) string {
	_, text, _ := strings.Cut(string(m.Text), "\n["+section+"]\n")
	text, _, _ = strings.Cut(text, "\n\n")
	text = strings.NewReplacer(`"`, "", "\n", "; ").Replace(comments.ReplaceAllString(strings.TrimSpace(text), ""))
	return regexp.MustCompile(` *= *`).ReplaceAllString(text, "=")
}

// platformOf is a platform with a cluster of these attributes.
func platformOf(attributes string) string {
	return `<?xml version='1.0'?><!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd"><platform version="4.1"><config><prop id="network/latency-factor" value="1"/></config>` +
		"\n" + `<zone id="w" routing="Full"><cluster id="c" prefix="n" suffix="" ` + attributes + `/></zone></platform>`
}

func TestClusters(t *testing.T) {
	const flat = `radical="0-3,8" speed="2Gf" bw="100MBps" lat="50us" `
	const switched = "model=switch; latency=100000 ns; bandwidth=100 MB/s; sharing=max-min"
	for _, c := range []struct{ name, attributes, network, local, system, note string }{
		{"flat", flat, switched, "", "target=cow; processors=1; nodes=5", ""},
		{"cores", flat + `core="8"`, switched, "L=0 ns; G=0.1 ns/B", "target=clump; processors=8; nodes=5", ""},
		{"loopback", flat + `core="8" loopback_bw="4GBps" loopback_lat="200ns"`, switched, "L=200 ns; G=0.25 ns/B", "target=clump; processors=8; nodes=5", ""},
		{"in bits", `radical="0-1" speed="2e9f" bw="1Gibps" lat="0"`, "model=switch; latency=0 ns; bandwidth=134.217728 MB/s; sharing=max-min", "", "target=cow; processors=1; nodes=2", ""},
		{"without units", `radical="0-1" speed="2e9" bw="1e9" lat="1e-6"`, "model=switch; latency=2000 ns; bandwidth=1000 MB/s; sharing=max-min", "", "target=cow; processors=1; nodes=2", `lat: "1e-6" has no unit`},
		{"power states", `radical="0-1" speed="2Gf, 1Gf" bw="1GBps" lat="1us"`, "model=switch; latency=2000 ns; bandwidth=1000 MB/s; sharing=max-min", "", "target=cow; processors=1; nodes=2", `speed: the first of "2Gf, 1Gf" is read`},
		{"large backbone", flat + `bb_bw="1GBps" bb_lat="20us"`, "model=switch; latency=120000 ns; bandwidth=100 MB/s; sharing=max-min", "", "target=cow; processors=1; nodes=5", ""},
		{"backbone", flat + `bb_bw="300MBps"`, switched, "", "target=cow; processors=1; nodes=5", "the backbone of 300 MB/s is only for predict replay --semantics simgrid: all hosts together can send 500 MB/s"},
		{"small backbone", flat + `bb_bw="50MBps" bb_lat="1us"`, "model=bus; latency=101000 ns; bandwidth=50 MB/s; sharing=max-min", "", "target=cow; processors=1; nodes=5", ""},
		{"fat backbone", flat + `bb_bw="50MBps" bb_sharing_policy="FATPIPE"`, "model=switch; latency=100000 ns; bandwidth=50 MB/s; sharing=max-min", "", "target=cow; processors=1; nodes=5", "bb_bw bounds each link of a host"},
		{"fat pipes", flat + `sharing_policy="FATPIPE"`, "model=ideal; latency=100000 ns; bandwidth=100 MB/s", "", "target=cow; processors=1; nodes=5", "FATPIPE is no bound on sums"},
		{"half duplex", flat + `sharing_policy="SHARED"`, switched, "", "target=cow; processors=1; nodes=5", "sharing_policy SHARED is not imported"},
		{"limiter", flat + `limiter_link="1GBps"`, switched, "", "target=cow; processors=1; nodes=5", "limiter_link is not imported"},
		{"torus", `radical="0-11" speed="1Gf" bw="125MBps" lat="50us" topology="TORUS" topo_parameters="3,2,2"`,
			"model=torus; dims=[2, 2, 3]; latency=50000 ns; bandwidth=125 MB/s; sharing=max-min; switch=50000 ns", "", "target=cow; processors=1; nodes=12", ""},
		{"fat tree", `radical="0-15" speed="1Gf" bw="125MBps" lat="50us" topology="FAT_TREE" topo_parameters="2;4,4;1,2;1,2" loopback_bw="100MBps" loopback_lat="0"`,
			"model=fattree; down=[4, 4]; up=[1, 2]; parallel=[1, 2]; latency=50000 ns; bandwidth=125 MB/s; sharing=max-min; switch=50000 ns", "L=0 ns; G=10 ns/B", "target=cow; processors=1; nodes=16", ""},
		{"dragonfly", `radical="0-119" speed="1Gf" bw="125MBps" lat="50us" topology="DRAGONFLY" topo_parameters="3,4;4,3;5,1;2"`,
			"model=dragonfly; groups=3; chassis=4; routers=5; hosts=2; global=4; latency=50000 ns; bandwidth=125 MB/s; sharing=max-min; switch=50000 ns", "", "target=cow; processors=1; nodes=120",
			"links between chassis have 3 times the bandwidth in SimGrid, and once in Spoor"},
	} {
		t.Run(c.name, func(t *testing.T) {
			m, err := imported(t, platformOf(c.attributes), "")
			if err != nil {
				t.Fatal(err)
			}
			for section, want := range map[string]string{"network": c.network, "network.local": c.local, "system": c.system} {
				if got := keys(m, section); got != want {
					t.Errorf("[%s]\n%s\nwant\n%s", section, got, want)
				}
			}
			rest := slices.DeleteFunc(m.Notes, func(n string) bool { return strings.HasPrefix(n, "cpi = 1.0 is no number") })
			if (c.note == "") != (len(rest) == 0) || c.note != "" && !slices.ContainsFunc(rest, func(n string) bool { return strings.Contains(n, c.note) }) {
				t.Errorf("notes %q, want %q", rest, c.note)
			}
		})
	}
}

// The properties of <config> change latency, bandwidth, overheads and S.
func TestConfig(t *testing.T) {
	m, err := Import("../../../data/sample/cluster.xml", "")
	if err != nil {
		t.Fatal(err)
	}
	if got, want := keys(m, "network"), "model=switch; latency=5700 ns; bandwidth=1250 MB/s; efficiency=0.94; sharing=max-min; o_s=1100 ns; o_r=800 ns; S=65535 B"; got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	if got, want := keys(m, "processor"), "clock=8000000000 Hz; cpi=1.0; cpf=1.0"; got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	for _, want := range []string{"network/bandwidth-factor has 3 factors by size; [network] has one: 0.94, that of the largest messages", "the property network/model of <config> is not imported",
		"smpi/os depends on the size of messages", "the property wattage_per_state of clusters is not imported", "cpi = 1.0 is no number"} {
		if !slices.ContainsFunc(m.Notes, func(n string) bool { return strings.Contains(n, want) }) {
			t.Errorf("no note %q among %q", want, m.Notes)
		}
	}
	if len(m.Notes) != 5 {
		t.Errorf("notes %q", m.Notes)
	}
	plain, err := imported(t, strings.Replace(platformOf(`radical="0-1" speed="1Gf" bw="1GBps" lat="1us"`), "network/latency-factor", "network/optim", 1), "")
	if err != nil || !strings.Contains(strings.Join(plain.Notes, "\n"), "LV08: 13.01 and 0.97") {
		t.Error(plain, err)
	}
}

// Of a platform with several clusters, one is chosen.
func TestChoice(t *testing.T) {
	text := strings.Replace(platformOf(`radical="0-1" speed="1Gf" bw="1GBps" lat="1us"`), "</zone>",
		`<cluster id="d" prefix="m" suffix="" radical="0-2" speed="1Gf" bw="1GBps" lat="1us"/><link id="b" bandwidth="1GBps" latency="1us"/><zoneRoute src="c" dst="d"><link_ctn id="b"/></zoneRoute></zone>`, 1)
	m, err := imported(t, text, "d")
	if err != nil || keys(m, "system") != "target=cow; processors=1; nodes=3" {
		t.Fatal(m, err)
	}
	for _, want := range []string{"1 <cluster> not imported", "1 <link> not imported", "1 <zoneroute> not imported"} {
		if !strings.Contains(strings.Join(m.Notes, "\n"), want) {
			t.Errorf("no note %q among %q", want, m.Notes)
		}
	}
	if _, err := imported(t, text, ""); err == nil || !strings.Contains(err.Error(), "2 clusters, but a machine of Spoor is one; choose one with --cluster: c, d") {
		t.Error(err)
	}
	if _, err := imported(t, text, "e"); err == nil || !strings.Contains(err.Error(), "no cluster has the name e; clusters are c, d") {
		t.Error(err)
	}
}

// dimemasOf is a configuration with one kind of nodes.
func dimemasOf(environment, node string, more ...string) string {
	return "#DIMEMAS_CONFIGURATION\n/* a\ncomment */\n\"environment information\" {\"m\", 0, \"\", " + environment + ", 1};;\n\"multi node information\" {0, " + node + ", 0.0};;\n" + strings.Join(more, "\n")
}

func TestDimemas(t *testing.T) {
	m, err := Import("../../../data/sample/dimemas.cfg", "")
	if err != nil {
		t.Fatal(err)
	}
	if got, want := keys(m, "network"), "model=switch; latency=0 ns; bandwidth=1073.741824 MB/s; o_s=2500 ns; o_r=0 ns"; got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	if got, want := keys(m, "network.local"), "L=0 ns; o_s=400 ns; o_r=0 ns; G=0.116415321827 ns/B"; got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	if got, want := keys(m, "system"), "target=clump; processors=2; nodes=4"; got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	for _, c := range []struct{ name, text, network, note string }{
		{"bus", dimemasOf("4, 100.0, 1", `4, "", 1, 1.0, 0.0, 0.0, 0, 0, 0, 0.000001, 1, 1`), "model=bus; latency=0 ns; bandwidth=104.8576 MB/s; o_s=1000 ns; o_r=0 ns", ""},
		{"no limits", dimemasOf("4, 100.0, 0", `4, "", 1, 1.0, 0.0, 0.0, 0, 0, 0, 0.000001, 0, 0`), "model=ideal; latency=0 ns; bandwidth=104.8576 MB/s; o_s=1000 ns; o_r=0 ns", ""},
		{"no time", dimemasOf("4, 0.0, 0", `4, "", 1, 1.0, 0.0, 0.0, 0, 0, 0, 0, 1, 1`), "model=ideal; latency=0 ns; o_s=0 ns; o_r=0 ns", ""},
		{"buses", dimemasOf("4, 1.0, 3", `4, "", 1, 1.0, 0.0, 0.0, 0, 0, 0, 0, 1, 1`), "model=switch; latency=0 ns; bandwidth=1.048576 MB/s; o_s=0 ns; o_r=0 ns", "3 buses are not imported"},
		{"links", dimemasOf("4, 1.0, 0", `4, "", 1, 1.0, 0.0, 0.0, 0, 0, 0, 0, 2, 1`), "model=switch; latency=0 ns; bandwidth=1.048576 MB/s; o_s=0 ns; o_r=0 ns", "2 input and 1 output links of a node are not imported"},
		{"rails", dimemasOf("4, 1.0, 0", `4, "", 1, 1.0, 0.0, 0.0, 0, 0, 0, 0, 2, 2`), "model=switch; latency=0 ns; bandwidth=1.048576 MB/s; o_s=0 ns; o_r=0 ns; rails=2", "take turns on its 2 links in Spoor"},
		{"speed", dimemasOf("4, 1.0, 0", `4, "", 1, 2.0, 0.0, 0.0, 0, 0, 0, 0, 1, 1`), "model=switch; latency=0 ns; bandwidth=1.048576 MB/s; o_s=0 ns; o_r=0 ns", "the processor speed 2 is not imported"},
		{"within", dimemasOf("2, 1.0, 0", `2, "", 2, 1.0, 0.0, 0.0, 1, 1, 0, 0, 1, 1`), "model=switch; latency=0 ns; bandwidth=1.048576 MB/s; o_s=0 ns; o_r=0 ns", "1 buses, 1 input and 0 output links within a node are not imported"},
		{"fill", dimemasOf("2, 1.0, 0", `2, "", 1, 1.0, 0.0, 0.0, 0, 0, 0, 0, 1, 1`, `"predefined mapping information" {"FILL_NODES"};;`), "model=switch; latency=0 ns; bandwidth=1.048576 MB/s; o_s=0 ns; o_r=0 ns", "FILL_NODES: predict replay places ranks so"},
		{"each", dimemasOf("2, 1.0, 0", `2, "", 1, 1.0, 0.0, 0.0, 0, 0, 0, 0, 1, 1`, `"predefined mapping information" {"3 TASKS_PER_NODE"};;`), "model=switch; latency=0 ns; bandwidth=1.048576 MB/s; o_s=0 ns; o_r=0 ns", "--ranks-per-node 3"},
		{"in turn", dimemasOf("2, 1.0, 0", `2, "", 1, 1.0, 0.0, 0.0, 0, 0, 0, 0, 1, 1`, `"mapping information" {"", 3, [3] {0, 1, 0}};;`), "model=switch; latency=0 ns; bandwidth=1.048576 MB/s; o_s=0 ns; o_r=0 ns", "--map cyclic"},
		{"in blocks", dimemasOf("2, 1.0, 0", `2, "", 1, 1.0, 0.0, 0.0, 0, 0, 0, 0, 1, 1`, `"mapping information" {"", 4, [4] {0, 0, 1, 1}};;`), "model=switch; latency=0 ns; bandwidth=1.048576 MB/s; o_s=0 ns; o_r=0 ns", "--ranks-per-node 2"},
		{"by hand", dimemasOf("2, 1.0, 0", `2, "", 1, 1.0, 0.0, 0.0, 0, 0, 0, 0, 1, 1`, `"mapping information" {"", 3, [3] {1, 0, 0}};;`), "model=switch; latency=0 ns; bandwidth=1.048576 MB/s; o_s=0 ns; o_r=0 ns", "write them into a file for predict replay --map"},
		{"files", dimemasOf("2, 1.0, 0", `2, "", 1, 1.0, 0.0, 0.0, 0, 0, 0, 0, 1, 1`, `"configuration files" {"a.sched", "", "", ""};;`, `"modules information" {1, 2, 0.5};;`), "model=switch; latency=0 ns; bandwidth=1.048576 MB/s; o_s=0 ns; o_r=0 ns", `the file "a.sched" of "configuration files" is not imported`},
	} {
		t.Run(c.name, func(t *testing.T) {
			m, err := imported(t, c.text, "")
			if err != nil {
				t.Fatal(err)
			}
			if got := keys(m, "network"); got != c.network {
				t.Errorf("got  %s\nwant %s", got, c.network)
			}
			if !strings.Contains(strings.Join(m.Notes, "\n"), c.note) {
				t.Errorf("no note %q among %q", c.note, m.Notes)
			}
		})
	}
	one := `"node information" {0, "", 1, 1.0, 0.0, 0.0, 0, 0, 0, 0.0, 1, 1, 0.0};;`
	if m, err := imported(t, "#1:\n\"environment information\" {\n\tint \"x\";\n};;\n\"environment information\" {\"m\", 0, \"\", 2, 1.0, 0, 1};;\n"+one+"\n"+one, ""); err != nil || keys(m, "system") != "target=cow; processors=1; nodes=2" {
		t.Error(m, err)
	}
}

func TestBadDescriptions(t *testing.T) {
	const flat = `radical="0-3" speed="2Gf" bw="100MBps" lat="50us" `
	const good = `4, "", 1, 1.0, 0.0, 0.0, 0, 0, 0, 0.0, 1, 1`
	replaced := func(old, new string) string { return strings.Replace(platformOf(flat), old, new, 1) }
	for _, c := range []struct{ text, want string }{
		{"", "neither a platform file of SimGrid nor a configuration file of Dimemas"},
		{"hello", "neither a platform file"},
		{"<platform version=\"4.1\">", ":1: not XML: "},
		{"<platform version=\"4.1\"><a></b></platform>", ":1: not XML: "},
		{"<platform version=\"4.1\">&x;</platform>", ":1: not XML: "},
		{"<platform version=\"3\"/>", `:1: version "3" of the platform is not 4 or 4.1; convert the file with simgrid_update_xml`},
		{"<platform version=\"4.1\"><zone id=\"a\"><host id=\"h\"/></zone></platform>", "the platform has no <cluster>"},
		{"<platform version=\"4.1\"><include file=\"x.xml\"/></platform>", `:1: <include> of "x.xml" is not read`},
		{replaced(`speed="2Gf"`, ""), ":2: the attribute speed of <cluster> is missing"},
		{replaced(`bw="100MBps"`, ""), ":2: the attribute bw of <cluster> is missing"},
		{replaced(`"100MBps"`, `"fast"`), `:2: bw: "fast" is not a finite number`},
		{replaced(`"100MBps"`, `"-1MBps"`), `:2: bw: "-1MBps" is not a finite number`},
		{replaced(`"100MBps"`, `"1e999MBps"`), `:2: bw: "1e999MBps" is not a finite number`},
		{replaced(`"100MBps"`, `"1parsec"`), `:2: bw: the unit of "1parsec" is not known`},
		{replaced(`"100MBps"`, `"0"`), ":2: bw and speed must be above zero"},
		{replaced(`"100MBps"`, `"1YBps"`), "Spoor has no such machine: the machine file:"},
		{replaced(`"0-3"`, `"3-0"`), `:2: radical: "3-0" is not a list`},
		{replaced(`"0-3"`, `"0-99999999999"`), `:2: radical: "0-99999999999" is not a list`},
		{replaced(`lat="50us"`, `lat="50us" core="x"`), `:2: core: "x" is not a number of cores`},
		{replaced(`lat="50us"`, `lat="50us" topology="RING"`), `:2: topology "RING" is not FLAT`},
		{replaced(`lat="50us"`, `lat="50us" topology="TORUS" topo_parameters="2,3"`), `:2: topo_parameters: "2,3" with 4 hosts are not sizes of dimensions`},
		{replaced(`lat="50us"`, `lat="50us" topology="TORUS" topo_parameters="65536,65536,65536,65536"`), "with 4 hosts are not sizes"},
		{replaced(`lat="50us"`, `lat="50us" topology="FAT_TREE" topo_parameters="2;2,2;1,1"`), "with 4 hosts are not LEVELS;DOWN"},
		{replaced(`lat="50us"`, `lat="50us" topology="FAT_TREE" topo_parameters="2;2,2;1;1,1"`), "with 4 hosts are not LEVELS;DOWN"},
		{replaced(`lat="50us"`, `lat="50us" topology="DRAGONFLY" topo_parameters="2,1;1,1;2,1"`), "with 4 hosts are not GROUPS,LINKS"},
		{replaced("network/latency-factor\" value=\"1\"", "smpi/os\" value=\"0:x:1\""), `:1: smpi/os: "x" is not a finite number`},
		{replaced("network/latency-factor\" value=\"1\"", "smpi/or\" value=\"0;1\""), `:1: smpi/or: "0;1" is not SIZE:VALUE`},
		{replaced("network/latency-factor\" value=\"1\"", "network/bandwidth-factor\" value=\"1.2\""), ":1: network/bandwidth-factor: 1.2 is more than 1"},
		{replaced("network/latency-factor\" value=\"1\"", "smpi/send-is-detached-thresh\" value=\"64K\""), `"64K" is not a number of bytes`},
		{`"environment information" {"m", 0, "", 4, 1.0, 0, 1};;`, "no record of nodes; the file may be cut"},
		{`"node information" {0, "", 1, 1.0, 0.0, 0.0, 0, 0, 0, 0.0, 1, 1, 0.0};; /* "environment information" */`, `no record "environment information"`},
		{dimemasOf("4, 1.0, 0", good, `"environment information" {"m", 0, "", 4, 1.0, 0, 1};;`), "a second machine"},
		{dimemasOf("4, 1.0, 0", good, `"wide area network information" {"", 2, 0, 4, 0.0, 0.0, 1};;`), ":6: 2 machines, but a machine of Spoor is one"},
		{dimemasOf("4, 1.0, 0", good, `"multi node information" {0, 1, "", 2, 1.0, 0.0, 0.0, 0, 0, 0, 0.0, 1, 1, 0.0};;`), ":6: nodes differ from those of line 5"},
		{dimemasOf("5, 1.0, 0", good), `:4: "environment information" has 5 nodes, but the records of nodes have 4`},
		{dimemasOf("4, 1.0", good), `:4: "environment information" has 6 values, not 7; convert files`},
		{dimemasOf("4, x, 0", good), `bandwidth is "x", not a number from 0`},
		{dimemasOf("4, -1, 0", good), `bandwidth is "-1", not a number from 0`},
		{dimemasOf("4, 1.0, 0.5", good), `number of buses is "0.5", not a whole number from 0`},
		{dimemasOf("4, 1.0, 0", `4, "", 0, 1.0, 0.0, 0.0, 0, 0, 0, 0.0, 1, 1`), "a node has no processors"},
		{dimemasOf("4, 1.0, 0", good, `"unheard of" {1};;`), `:6: unknown record "unheard of"`},
		{dimemasOf("4, 1.0, 0", good, `"configuration files" {"a`), ":6: a text without a closing quote"},
		{dimemasOf("4, 1.0, 0", good, `"configuration files" {"a", `), ":6: the file ends within a record"},
		{dimemasOf("4, 1.0, 0", good, `"configuration files" {"a" "b"};;`), `where "}" is expected`},
		{dimemasOf("4, 1.0, 0", good, `/* open`), ":6: the comment that begins here does not end"},
		{dimemasOf("4, 1.0, 0", good, `mapping {1};;`), `:6: "mapping {1};;" is not the name of a record in quotes`},
		{dimemasOf("4, 1.0, 0", good, `"mapping information" {"", 2, [2] {0}};;`), "a list of 2 numbers has 1"},
		{dimemasOf("4, 1.0, 0", good, `"mapping information" {"", 1, [x] {0}};;`), "the length of a list is not a number"},
		{dimemasOf("4, 1.0, 0", good, `"mapping information" {"", 1, [1] {a}};;`), `"a" in a list is not a whole number`},
		{dimemasOf("4, 1.0, 0", good, `"mapping information" {"", 2, [1] {0}};;`), "2 tasks need as many nodes from 0 to 3"},
		{dimemasOf("4, 1.0, 0", good, `"mapping information" {"", 1, [1] {4}};;`), "1 tasks need as many nodes from 0 to 3"},
		{dimemasOf("4, 1.0, 0", good, `"predefined mapping information" {"x TASKS_PER_NODE"};;`), `"x TASKS_PER_NODE" is not FILL_NODES`},
		{dimemasOf("4, 1.0, 0", good, `#1: open`, `"a" { b`), "the definition of a record does not end with };;"},
	} {
		t.Run(c.text, func(t *testing.T) {
			_, err := imported(t, c.text, "")
			if err == nil || !strings.Contains(err.Error(), c.want) || strings.Count(err.Error(), "\n") > 0 || len(err.Error()) > 600 {
				t.Errorf("got %v, want %q", err, c.want)
			}
		})
	}
	if _, err := Import("../../../data/sample/dimemas.cfg", "c"); err == nil || !strings.Contains(err.Error(), "--cluster c has no effect") {
		t.Error(err)
	}
	if _, err := Import("nowhere.xml", ""); err == nil || err.Error() != "nowhere.xml: no such file or directory" {
		t.Error(err)
	}
}

// Any bytes are a machine file that can be read, or one line of error.
func FuzzImport(f *testing.F) {
	for _, name := range []string{"cluster.xml", "dimemas.cfg"} {
		text, err := os.ReadFile(filepath.Join("../../../data/sample", name))
		if err != nil {
			f.Fatal(err)
		}
		f.Add(text)
	}
	f.Add([]byte(platformOf(`radical="0-119" speed="1Gf" bw="125MBps" lat="50us" topology="DRAGONFLY" topo_parameters="3,4;4,3;5,1;2"`)))
	f.Add([]byte(platformOf(`radical="0-15" speed="1Gf" bw="125MBps" lat="50us" topology="FAT_TREE" topo_parameters="2;4,4;1,2;1,2"`)))
	f.Fuzz(func(t *testing.T, text []byte) {
		m, err := imported(t, string(text), "")
		if err != nil {
			if strings.ContainsAny(err.Error(), "\n\x00") || len(err.Error()) > 2000 {
				t.Errorf("%q", err)
			}
			return
		}
		if _, err := machine.ParsePart("x", m.Text); err != nil {
			t.Error(err)
		}
		for _, n := range m.Notes {
			if strings.Contains(n, "\n") {
				t.Errorf("%q", n)
			}
		}
	})
}

// The machine files of predict/testdata/simgrid are those that Import makes of the platforms there.
func TestMachinesOfSMPI(t *testing.T) {
	files, _ := filepath.Glob("../../../predict/testdata/simgrid/*.xml")
	if len(files) != 6 {
		t.Fatalf("there are platforms %q", files)
	}
	for _, file := range files {
		m, err := Import(file, "")
		if err != nil {
			t.Fatal(err)
		}
		want, err := os.ReadFile(strings.TrimSuffix(file, ".xml") + ".toml")
		if err != nil || string(m.Text) != string(want) {
			t.Errorf("%s, %v:\n%s", file, err, m.Text)
		}
	}
}
