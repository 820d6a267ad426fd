import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { helpText } from '../../../../runtime/config/config.ts'
import { table } from '../table.ts'

const help = suite('runtime/config: help')

const expected = `A program that shows every type of flag.

Usage:
  demo [flags]

Serving flags:

      --bind-address IP          IP to listen on. (default "127.0.0.1")
      --port int                 Port. (default 8080)
      --offset int32             Offset.
      --limit int                Limit.
      --rate float               Rate. (default 0.1)
      --timeout duration         Timeout. (default 1m0s)
      --size quantity            Size. (default 256Mi)

Lists flags:

      --controllers strings      Controllers to run, by name, of which a star
                                 stands for all that are on by default. (default
                                 [*])
      --header stringArray       Headers.
      --labels mapStringString   Labels. (default [a=b])
      --format string            Format. One of: text, json.

Global flags:

  -e, --enable                   Switch.
  -q, --quiet                    Other switch. (default true)
  -v, --v LEVEL                  LEVEL of detail.
      --old int                  Old. (DEPRECATED: use --port instead)
`

help('stands in sections, is wrapped, and shows defaults that are not zero', () => {
  assert.is(helpText(table, 80).replace(/ +$/gm, ''), expected)
})

help('keeps to the width unless a word is longer', () => {
  for (const line of helpText(table, 64).split('\n')) assert.ok(line.length <= 64, line)
})

help('has descriptions under their flags in a narrow terminal', () => {
  const text = helpText(table, 40)
  for (const line of text.split('\n')) assert.ok(line.length <= 40, line)
  assert.match(text, '\n      --format string\n        Format. One of: text, json.\n')
})

help('leaves out hidden flags', () => {
  assert.not.match(helpText(table, 80), /--secret/)
})

help.run()
