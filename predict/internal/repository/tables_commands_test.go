package repository

// tableCommands make files of every kind. A parameter file carries the name of its kind.
const tableCommands = `
tracegen fft --procs 2 --set points=256 -o fft
tracegen transfer --procs 2 --set shape=1 --set d=5 -o transfer
tracegen sor --procs 4 --set g=8 --set iterations=5 -o sor
tracegen water --procs 4 --set molecules=16 --set steps=1 -o water
traces import pinatrace.out --pc -o pinatrace
traces import pinatrace.out --pc --archive -o archived
traces import data/sample/tiny.log --archive -o tiny
analyze --run all --line 64B,256B --assoc 64x8 --sets 2048 --per-node 1 --block 256B --placement interleaved --quanta-cache 128x4 --cache L1d=4KiB/8/64B,LL=64KiB/16/64B/with-opt -o fft.all fft
analyze --run comm,marshal -o transfer.all transfer
analyze --run reuse --procs 0 -o part fft
traces import flushes.csv -o flushes
analyze --run reuse,cache,coherent,sharing -o flushes.all flushes
analyze --run quanta,footprint -o water.all water
analyze compose --line 64B --cache 4KiB -o both fft.all fft.all
for p in 1 2; do for n in 64 256; do tracegen fft --procs $p --set points=$n -o f$p.$n; analyze --run reuse,locality -o f$p.$n.all f$p.$n; done; done
predict cluster --params fft.all --machine du2000-smp-256k -o cluster.arrow
predict cluster --params fft.all --machine du2000-smp-256k --processors 1 --equal-clock du2000-smp-2-256k -o clock.arrow
predict replay fft --machine du2000-smp-256k -o replay.arrow
predict replay fft --machine spasm-mesh --machine spasm-mesh-clogp --ideal -o simplified.arrow
predict replay fft --machine du2000-smp-256k --phases -o phases.arrow
predict replay fft --machine wwt-dir1sw --quanta replay.quanta
predict replay sor --machine loggp-example --timeline sor.prv -o messages.arrow
traces import sor.prv -o timed
predict replay sor --machine loggp-example --matrix -o matrix.arrow
predict replay sor --machine loggp-example --phases -o slices.arrow
predict replay sor --machine loggp-example --path segment -o path.arrow
predict replay sor --machine loggp-example --path processor -o sums.arrow
predict replay sor --machine loggp-example --sensitivity -o sensitivity.arrow
predict replay sor --machine du2000-clump-4x2-512k-155m --map all --sensitivity -o sensitivity-maps.arrow
predict replay sor --machine du2000-clump-2x2-256k-155m --references -o mixed.arrow
predict replay sor sor --machine du2000-clump-4x2-512k-155m --together -o together.arrow
predict replay sor --machine du2000-clump-4x2-512k-155m --map all -o maps.arrow
predict direct sor --procs 4 --set g=8 --set iterations=5 --machine loggp-example --native -o native-messages.arrow
predict direct cholesky --procs 2 --set rings=3 --set spokes=8 --machine spasm-mesh --native -o native-memory.arrow
predict direct sor --procs 4 --set g=8 --set iterations=5 --machine du2000-clump-2x2-256k-155m --references --native -o native-mixed.arrow
predict compare cluster.arrow replay.arrow -o compare.arrow
predict compare cluster.arrow replay.arrow --intervals -o coverage.arrow
predict compare replay.arrow replay.arrow -o difference.arrow
predict compare simplified.arrow --baseline spasm-mesh -o abstraction.arrow
predict budget --params fft.all --prices data/price/example1999.toml --budget '$20000' -o budget.arrow
predict budget --params fft.all --prices data/price/example-cloud.toml --budget '$10/h' --max-nodes 8 -o rent.arrow
predict windtunnel --params water.all --prices data/price/sgi1993.toml -o windtunnel.arrow
predict windtunnel --params water.all --measured water.all --halves -o measured.arrow
calibrate fit data/sample/transfers.csv -o fit
calibrate fit data/sample/transfers.csv --state far --train 5,10 -o learning.fit
mkdir osu && calibrate fit data/sample/osu.txt -o osu/fit
predict message --params fit.params.toml --state far --of rows,columns -o message.arrow
predict message transfer --params fit.params.toml --state far -o traffic.arrow
predict message crossover --params fit.params.toml --state far --between rows,columns -o crossover.arrow
predict message blocks --param S1_alpha=20us --param S1_beta=5ns/B --param array_S1_alpha=1us --param array_S1_beta=4ns/access --size 64x64 -o blocks.arrow
predict logp --machine loggp-example --procs 16 -o logp.arrow
predict scaling --params f1.64.all,f1.256.all,f2.64.all,f2.256.all --processors 8 --size points=4096 -o scaling.params.toml
`

// printingCommands print tables: their names, then the command. [printedByAnalyses] has more.
const printingCommands = `
kernels: tracegen --list
runs: tracegen fft --set points=256 --native
formats: traces formats
facts: traces formats din
facts: traces info fft
facts: traces info fft.all/curve.arrow
processors of a trace: traces info fft --by-proc
check: traces check fft
recovered: traces check --recover -o recovered fft
summary of reuse: analyze --run reuse --sample 0.5 --sample-least 0 -o printed fft
summary of cache: analyze --run cache --cache L1=4KiB/8/64B/with-opt --cache L1=8KiB/8/64B -o printed fft
summary of sharing: analyze --run sharing -o printed flushes
description: calibrate show example-desktop
machines: calibrate machines
models: calibrate fit data/sample/transfers.csv -o again
compared parameters: calibrate compare fit.params.toml again.params.toml
memory: calibrate memory --quick --from memory.memory.arrow -o again
terms: predict cluster --params fft.all --machine du2000-smp-256k --terms
remarks: predict cluster --params fft.all --machine du2000-smp-256k
processors with shared memory: predict replay fft --machine du2000-smp-256k
processors with messages: predict replay sor --machine loggp-example --references=false
processors with both: predict replay sor --machine du2000-clump-2x2-256k-155m
engine: predict replay sor --machine loggp-example --engine whoa --workers 4 --engine-stats
comparison of models, errors of models: predict compare cluster.arrow replay.arrow
errors of abstractions: predict compare simplified.arrow --baseline spasm-mesh
front, sensitivity: predict budget --params fft.all --prices data/price/example1999.toml --budget '$20000'
price_spread: predict budget --params fft.all --prices data/price/example1999.toml --budget '$20000' --price-spread 10%
summary of windtunnel: predict windtunnel --params water.all --prices data/price/sgi1993.toml
terms of windtunnel: predict windtunnel --params water.all --prices data/price/sgi1993.toml --terms
errors of windtunnel: predict windtunnel --params water.all --measured water.all
terms of message: predict message --params fit.params.toml --state far --of rows --terms
networks: predict logp --machine loggp-example --procs 16 --network
extrapolation: predict scaling --params f1.64.all,f1.256.all,f2.64.all,f2.256.all --processors 8 --size points=4096
`

// hostCommands measure this host, which may be too busy.
const hostCommands = `
calibrate memory --quick -o memory
calibrate transport --quick --transports ring -o host
`
