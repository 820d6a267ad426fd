// What users install has everything that its types name, and names nothing that cannot change with their projects.
import { existsSync, readFileSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'
import { Project } from 'ts-morph'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { packageRoot } from '../../codegen/main.ts'

const test = suite('published types')

const manifest = JSON.parse(readFileSync(join(packageRoot, 'package.json'), 'utf8'))

/** The packages that a declaration file names, and those it leads to. */
function packagesOf(file: string, seen: Set<string>, found: Map<string, string>): void {
  if (seen.has(file) || !existsSync(file)) return
  seen.add(file)
  const text = readFileSync(file, 'utf8')
  for (const [, name = ''] of text.matchAll(/(?:from |import\()['"]([^'"\n]+)['"]/g)) {
    if (name.startsWith('.')) {
      packagesOf(resolve(dirname(file), name.replace(/\.[tj]s$/, '.d.ts')), seen, found)
    } else found.set(name.match(/^(@[^/]+\/)?[^/]+/)?.[0] ?? name, file)
  }
}

test('every package that they name is a dependency that has types', () => {
  const found = new Map<string, string>()
  const seen = new Set<string>()
  for (const entry of ['.', './testing']) {
    packagesOf(join(packageRoot, manifest.exports[entry].types), seen, found)
  }
  assert.ok(seen.size > 100)
  const known = Object.keys(manifest.dependencies)
  for (const [name, file] of found) {
    if (name.startsWith('node:') || name === manifest.name) continue
    const own = JSON.parse(
      readFileSync(join(packageRoot, 'node_modules', name, 'package.json'), 'utf8'),
    )
    const types = own.types ?? own.typings ?? own.exports?.['.']?.types
    const needed = types === undefined ? `@types/${name}` : name
    assert.ok(known.includes(needed), `${file} names ${name}: ${needed} is not in dependencies`)
  }
})

/**
 * A type of a configuration file that a library exports is one file format for all programs that import it, which no program can
 * change and the library never again. Each project has its own, in its own group, from its own schema files.
 */
test('no type of a configuration file is exported', () => {
  const project = new Project({
    compilerOptions: { module: 199, moduleResolution: 99, target: 9, types: [] },
    skipAddingFilesFromTsConfig: true,
  })
  for (const entry of ['.', './testing']) {
    const path = join(packageRoot, manifest.exports[entry].types)
    const exported = project.addSourceFileAtPath(path).getExportedDeclarations()
    assert.ok(exported.size > 10)
    for (const [name, declarations] of exported) {
      for (const declaration of declarations) {
        const file = relative(join(packageRoot, 'dist'), declaration.getSourceFile().getFilePath())
        assert.not.match(file, /^(?:generated|runtime)\/config\//, `${entry} exports ${name}`)
      }
    }
  }
})

test.run()
