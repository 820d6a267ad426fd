/** Files with many mistakes, one of each kind of configuration, and everything that is said about them. */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { packageRoot } from '../../../../codegen/main.ts'
import { configKinds } from '../../../../generated/config.ts'
import { features } from '../../../../generated/features.ts'
import { configFiles, FeatureGates } from '../../../../runtime/config/config.ts'

const { checkDeclaredKind: checkNamed, formatFindings: printFindings } = await configFiles()

const files = suite('runtime/config: files with mistakes')

const golden = join(packageRoot, 'test/golden/config')

for (const file of readdirSync(golden).filter((name) => name.endsWith('.yaml'))) {
  files(`${file}: all of its mistakes are reported at once, each at its position`, async () => {
    const text = readFileSync(join(golden, file), 'utf8')
    const source = { name: file, text, origin: 'file' } as const
    const findings = await checkNamed(configKinds, source, new FeatureGates(features))
    const printed = `${printFindings(findings, [source]).join('\n')}\n`
    const expected = join(golden, file.replace(/yaml$/, 'txt'))
    if (process.env.UPDATE_GOLDEN) writeFileSync(expected, printed)
    assert.is(printed, readFileSync(expected, 'utf8'))
    assert.ok(findings.length > 0)
  })
}

files.run()
