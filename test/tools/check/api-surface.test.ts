import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { checkApiSurface } from '../../../tools/check/api-surface.ts'
import { tempDirectory } from '../../support/temp.ts'

const surface = suite('tools/check: api surface')

const root = fileURLToPath(new URL('../../../../', import.meta.url))

surface('what the package exports is what test/golden/api records', () => {
  const repair = 'node dist/tools/check/api-surface.js --write'
  assert.equal(
    checkApiSurface(root),
    [],
    `another surface than recorded: review it, then ${repair}`,
  )
})

surface('an export that comes, goes or changes is named', () => {
  const folder = tempDirectory()
  mkdirSync(join(folder, 'dist/runtime'), { recursive: true })
  mkdirSync(join(folder, 'test/golden/api'), { recursive: true })
  const exports = { '.': { types: './dist/runtime/runtime.d.ts' } }
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ exports }))
  const types = 'export declare const a: 1;\nexport declare const b: 2;\nexport interface C {\n}\n'
  writeFileSync(join(folder, 'dist/runtime/runtime.d.ts'), types)
  const recorded =
    '## a\nexport declare const a: 1;\n\n## b\nexport declare const b: 3;\n\n## d\nx\n'
  writeFileSync(join(folder, 'test/golden/api/orch.txt'), recorded)
  assert.equal(checkApiSurface(folder), [
    'orch: C is new',
    'orch: b is another one',
    'orch: d is gone',
  ])
})

surface.run()
