/** The page that compares validators: what it says of orch is shown by tests that there are. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { packageRoot } from '../../../codegen/main.ts'

const test = suite('docs: validators compared')

const rows = readFileSync(join(packageRoot, 'docs/guide/validators-compared.md'), 'utf8')
  .split('\n')
  .filter((line) => line.startsWith('| ') && !/^\| (---|feature)/.test(line))
  .map((line) => line.split('|').map((cell) => cell.trim()))

test('every row that says yes names a test that there is', () => {
  assert.ok(rows.length >= 13)
  for (const [, feature, here = '', ...rest] of rows) {
    if (!here.startsWith('[yes]')) continue
    const [, file = '', fact = ''] = /^`(test\/[\w./-]+)` (.+)$/.exec(rest.at(-2) ?? '') ?? []
    assert.ok(file !== '', `${feature}: names no test`)
    const text = readFileSync(join(packageRoot, file), 'utf8')
    assert.ok(text.includes(fact), `${feature}: ${file} has no test "${fact}"`)
  }
})

test.run()
