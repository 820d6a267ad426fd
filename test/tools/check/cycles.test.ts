import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { checkCycles, components, importGraph } from '../../../tools/check/cycles.ts'
import { checkIndexes } from '../../../tools/check/indexes.ts'

const cycles = suite('tools/check: cycles')

/** Files of one folder that import each other as told: `a: 'b c'`. */
function filesOf(imports: Readonly<Record<string, string>>) {
  return Object.entries(imports).map(([name, targets]) => ({
    path: `runtime/x/${name}.ts`,
    text: targets
      .split(' ')
      .filter(Boolean)
      .map((target) => `import type { T } from './${target}.ts'\n`)
      .join(''),
  }))
}

cycles('files that import each other are refused with the shortest way round', () => {
  const files = filesOf({ a: 'b c', b: 'c', c: 'd a', d: '' })
  assert.equal(checkCycles(files), [
    '3 files import each other: runtime/x/a.ts -> runtime/x/c.ts -> runtime/x/a.ts',
  ])
})

cycles('a file that two others import is no cycle', () => {
  assert.equal(checkCycles(filesOf({ a: 'b c', b: 'd', c: 'd', d: '' })), [])
})

cycles('generated types may hold each other', () => {
  const path = 'examples/operator/generated/apis/web/v1/website.ts'
  const read = path.replace('.ts', '.read.ts')
  const files = [
    { path, text: `import { r } from './website.read.ts'` },
    { path: read, text: `import { w } from './website.ts'` },
  ]
  assert.equal(checkCycles(files), [])
})

cycles('a long chain does not use up the stack', () => {
  const chain = Object.fromEntries(
    Array.from({ length: 20_000 }, (_, at) => [`f${at}`, at === 19_999 ? 'f0' : `f${at + 1}`]),
  )
  const [all] = components(importGraph(filesOf(chain)))
  assert.is(all?.length, 20_000)
})

cycles('an entry file that re-exports and declares is refused', () => {
  const both = `export { a } from './a.ts'\nexport interface B {}\n`
  const at = (text: string) => checkIndexes([{ path: 'runtime/x/x.ts', text }]).length
  assert.is(at(both), 1)
  assert.is(at(`export { a } from './a.ts'\nexport type { B } from './b.ts'\n`), 0)
  assert.is(at('export interface B {}\n'), 0)
  assert.is(checkIndexes([{ path: 'runtime/x/y.ts', text: both }]).length, 0)
})

cycles.run()
