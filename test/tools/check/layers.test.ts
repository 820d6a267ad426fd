import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { checkAmbientInputs } from '../../../tools/check/ambient.ts'
import { importsOf } from '../../../tools/check/imports.ts'
import { checkLayers } from '../../../tools/check/layers.ts'

const layers = suite('tools/check: layers')

type Row = readonly [name: string, path: string, line: string, problem: string | undefined]

const rows: readonly Row[] = [
  [
    'down through the index',
    'runtime/watch/x.ts',
    `import { S } from '../store/store.ts'`,
    undefined,
  ],
  [
    'into any file of the kernel',
    'runtime/store/x.ts',
    `import { S } from '../kernel/async/clock.ts'`,
    undefined,
  ],
  ['within a module', 'runtime/store/x.ts', `import { S } from './keys.ts'`, undefined],
  ['of another package', 'runtime/store/x.ts', `import { S } from 'knex'`, undefined],
  [
    'up',
    'runtime/store/x.ts',
    `import { S } from '../watch/watch.ts'`,
    'runtime/store may not know runtime/watch',
  ],
  [
    'up, on demand',
    'runtime/store/x.ts',
    `await import('../watch/watch.ts')`,
    'runtime/store may not know runtime/watch',
  ],
  [
    'sideways',
    'runtime/store/x.ts',
    `import '../client/client.ts'`,
    'runtime/store may not know runtime/client',
  ],
  [
    'past the index',
    'runtime/watch/x.ts',
    `export { S } from '../store/keys.ts'`,
    'enter runtime/store by runtime/store/store.ts, not runtime/store/keys.ts',
  ],
  [
    'from server to client',
    'runtime/registry/x.ts',
    `import { C } from '../client/client.ts'`,
    'runtime/registry and runtime/client meet only on the wire',
  ],
  [
    'of generated code',
    'runtime/server/x.ts',
    `import { scheme } from '../../generated/scheme.ts'`,
    'runtime/server takes generated facts as an argument (import type is allowed)',
  ],
  [
    'of generated types',
    'runtime/server/x.ts',
    `import type { Pod } from '../../generated/apis/core/v1/pod.ts'`,
    undefined,
  ],
  [
    'of the generator by a tool',
    'tools/orch/x.ts',
    `import { x } from '../../codegen/main.ts'`,
    undefined,
  ],
  [
    'of the generator by a module',
    'runtime/server/x.ts',
    `import { x } from '../../codegen/main.ts'`,
    'runtime/server may not know the generator',
  ],
  [
    'by the generator',
    'codegen/x.ts',
    `import { x } from '../runtime/serializer/serializer.ts'`,
    'the generator knows kernel and expressions only, not runtime/serializer/serializer.ts',
  ],
  [
    'of the engine of rules by the generator',
    'codegen/schema/x.ts',
    `import { x } from '../../runtime/cel/cel.ts'`,
    undefined,
  ],
  ['of the package by an example', 'examples/a/x.ts', `import { x } from 'orch'`, undefined],
  [
    'of the source by an example',
    'examples/a/x.ts',
    `import { x } from '../../runtime/runtime.ts'`,
    'an example imports the package or other examples, not runtime/runtime.ts',
  ],
]

for (const [name, path, line, problem] of rows) {
  layers(`an import ${name} is ${problem === undefined ? 'fine' : 'refused'}`, () => {
    const want = problem === undefined ? [] : [`${path}:2: ${problem}`]
    assert.equal(checkLayers([{ path, text: `\n${line}\n` }]), want)
  })
}

layers('a file that stands in no module is refused', () => {
  assert.is(checkLayers([{ path: 'runtime/nowhere/x.ts', text: '' }]).length, 1)
})

layers('imports are found over several lines, and not in comments or strings', () => {
  const text = `/* import 'a' */\nimport {\n  type A,\n  b,\n} from 'b'\n// from 'c'\nconst x = "import 'd'"\n`
  assert.equal(importsOf(text), [{ specifier: 'b', typeOnly: false, line: 5 }])
})

layers('the clock is read in one place only', () => {
  const text = 'const now = Date.now()\n'
  assert.equal(checkAmbientInputs([{ path: 'runtime/kernel/async/clock.ts', text }]), [])
  assert.is(checkAmbientInputs([{ path: 'runtime/store/x.ts', text }]).length, 1)
})

layers.run()
