// Reads Arrow files with two readers that know nothing of Spoor, and prints for each
// the columns, the number of rows and the sum of every column, as JSON.
//
//   node read.mjs X.refs.arrow X.events.arrow
import { readFileSync } from 'node:fs'
import pl from 'nodejs-polars'
import * as arrow from 'apache-arrow'
import { decompress } from 'fzstd'

// Without the slice, blocks that decompress to one buffer would share it.
arrow.compressionRegistry.set(arrow.CompressionType.ZSTD, { decode: (b) => decompress(b).slice() })

// A list counts as the sum of its elements and 1, so that an empty one is told from
// none, which counts as 0.
function number(v) {
  if (v === null) return 0n
  if (typeof v !== 'object') return BigInt(v)
  let n = 1n
  for (const x of v) n += BigInt(x)
  return n
}

// Sums are modulo 2^64, in decimal: a sum of addresses is over what a double holds.
function sum(values) {
  let n = 0n
  for (const v of values) n += number(v)
  return BigInt.asUintN(64, n).toString()
}

// Polars hands out 64-bit numbers as doubles, so they come as text.
function polarsColumn(df, name) {
  const column = df.getColumn(name)
  if (name !== 'needs') return column.cast(pl.Utf8).toArray()
  return column.toArray().map((v) => (v === null ? null : v.toArray ? v.toArray() : v))
}

function withPolars(file) {
  const df = pl.readIPC(readFileSync(file)) // a string would be taken for the content
  return { columns: df.columns, rows: df.height, sums: df.columns.map((c) => sum(polarsColumn(df, c))) }
}

function withArrow(file) {
  const table = arrow.tableFromIPC(readFileSync(file))
  const columns = table.schema.fields.map((f) => f.name)
  return { columns, rows: table.numRows, sums: columns.map((c) => sum(table.getChild(c))) }
}

const files = process.argv.slice(2)
console.log(JSON.stringify(files.map((f) => ({ polars: withPolars(f), 'apache-arrow': withArrow(f) }))))
