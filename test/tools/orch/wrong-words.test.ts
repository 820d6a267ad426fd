/** What the commands say to a wrong word on their command line. */
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { orchCommand, runNode } from '../../support/orch.ts'

const test = suite('tools/orch: wrong words')

const wrong: [args: readonly string[], code: number, stderr: string][] = [
  [['generate', '--schema', 'x'], 2, `Unknown option '--schema'; did you mean "schemas"?`],
  [['import', '--schema', 'x', 'y'], 2, `Unknown option '--schema'; did you mean "schemas"?`],
  [['up', '--platform', 'none.yaml'], 1, 'orch up: --platform none.yaml: there is no such file'],
  [['up', '--schemas', 'none'], 1, 'orch up: --schemas none: there is no such folder'],
]

const judging = [
  ['validate', 'a.yaml'],
  ['fix', 'a.yaml'],
  ['migrate', 'a.yaml'],
  ['why', 'a.yaml:1'],
  ['build', 'a.config.ts'],
  ['explain', 'pods'],
  ['json-schema', '--out', 'x'],
  ['generate', '--out', 'x'],
  ['lsp'],
]
for (const [at, args] of judging.entries()) {
  const [flag, path, what] =
    at % 2 === 0 ? ['--schemas', 'none', 'folder'] : ['--platform', 'none.yaml', 'file']
  const message = `orch ${args[0]}: ${flag} ${path}: there is no such ${what}`
  wrong.push([[...args, flag, path], 2, message])
}

for (const [args, code, message] of wrong) {
  test(`orch ${args.join(' ')}: ${message}`, async () => {
    const outcome = await runNode(orchCommand, [...args])
    assert.is(outcome.code, code)
    assert.ok(outcome.stderr.includes(message), outcome.stderr)
    assert.not.match(outcome.stderr, '    at ')
  })
}

test.run()
