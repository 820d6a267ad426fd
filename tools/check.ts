/**
 * The gate: everything that can drift is compared with what it should be. Each failure prints what is wrong and the
 * command that mends it. Types are checked by the build that goes before.
 */
import { execFile } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { checkAmbientInputs } from './check/ambient.ts'
import { checkCycles } from './check/cycles.ts'
import { checkLayersTable, checkPaths } from './check/docs.ts'
import { checkEngines } from './check/engines.ts'
import { checkIndexes } from './check/indexes.ts'
import { checkLayers } from './check/layers.ts'
import { checkProse } from './check/prose.ts'
import { type Checked, checkRelease } from './check/release.ts'
import {
  filesIn,
  readCiting,
  readGuide,
  readSources,
  readSpecification,
  rootDocuments,
  type Source,
} from './check/sources.ts'
import { checkSpecification } from './check/specification.ts'
import { checkGoldens, checkTests } from './check/tests.ts'

type Outcome = readonly string[] | Checked

/** One thing that can drift. */
interface Check {
  readonly name: string
  readonly run: () => Outcome | Promise<Outcome>
  /** What to do about a failure. */
  readonly repair: string
}

const dist = dirname(dirname(fileURLToPath(import.meta.url)))
const root = dirname(dist)
const sources = readSources(root)
const specification = readSpecification(root)
const documents = [...rootDocuments.flatMap(read), ...readGuide(root)]

/** Examples that generate their own kinds, as users do. */
const examples = ['operator', 'caches', 'certificates'].map((name) => [
  '--schemas',
  `examples/${name}/schemas`,
  '--out',
  `examples/${name}/generated`,
])
const cspell = join(root, 'node_modules/cspell/bin.mjs')
const biome = join(root, 'node_modules/@biomejs/biome/bin/biome')

/** From what breaks users to what readers notice. */
const checks: readonly Check[] = [
  {
    name: 'generated code is what the schemas say',
    run: () => node('tools/orch/main.js', 'generate', '--check'),
    repair: 'npm run generate',
  },
  ...examples.map((example) => ({
    name: `${example.at(-1)} is what its schemas say`,
    run: () => node('tools/orch/main.js', 'generate', '--check', ...example),
    repair: `npm run generate -- ${example.join(' ')}`,
  })),
  {
    name: 'what the last release promised is kept',
    run: () => checkRelease(),
    repair: 'deprecate first (CONTRIBUTING.md, a change of something released)',
  },
  {
    name: 'every package that users install runs on the oldest Node',
    run: () => {
      const lock = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8'))
      return checkEngines(lock.packages)
    },
    repair: 'pin a version that does, or raise engines.node of package.json',
  },
  {
    name: 'modules and their folders import lower layers only',
    run: () => checkLayers(sources),
    repair: 'move the line to the module that may know it (ARCHITECTURE.md, layers)',
  },
  {
    name: 'no files import each other in a circle',
    run: () => checkCycles(sources),
    repair: 'give what both need a file of its own',
  },
  {
    name: 'an entry file is a contract or an index',
    run: () => checkIndexes(sources),
    repair: 'move the declarations to a file that the index re-exports',
  },
  {
    name: 'time, chance and settings come in as arguments',
    run: () => checkAmbientInputs(sources),
    repair: 'pass a Clock (runtime/kernel/async/clock.ts) or the value itself',
  },
  { name: 'every suite runs whole', run: () => checkTests(sources), repair: 'mend the test' },
  {
    name: 'every golden file is used',
    run: () => checkGoldens(filesIn(root, ['test/golden']), sources),
    repair: 'delete the file, or name it in its test',
  },
  {
    name: 'ids of the specification stand for a promise',
    run: () => checkSpecification(specification, readCiting(root)),
    repair: 'correct the id, or write its entry (docs/spec/README.md)',
  },
  {
    name: 'documents show the examples as they are',
    run: () => node('tools/quoted-code.js', '--check'),
    repair: 'node dist/tools/quoted-code.js',
  },
  {
    name: 'the reference of schema files says what the generator reads',
    run: () => node('tools/reference.js', '--check'),
    repair: 'node dist/tools/reference.js',
  },
  {
    name: 'documents name files that exist',
    run: () => checkPaths([...documents, ...specification], root),
    repair: 'correct the path in the document',
  },
  {
    name: 'ARCHITECTURE shows the layers as enforced',
    run: () => checkLayersTable(documents),
    repair: 'node dist/tools/layers-table.js',
  },
  {
    name: 'comments and documents use one word a concept',
    run: () =>
      checkProse(
        sources,
        documents.filter(({ path }) => !path.startsWith('docs/spec/')),
      ),
    repair: 'say it in the words of the glossary (ARCHITECTURE.md)',
  },
  {
    name: 'spelling',
    run: () => spelled,
    repair:
      'correct the word, or add it to tools/words.txt (test/words.txt for words of tests only)',
  },
  {
    name: 'format and lint',
    run: () => command(process.execPath, [biome, 'check', '--colors=off', '.']),
    repair: 'npm run format',
  },
]

/** The spelling is as long as all the others: it runs beside them. */
const spelled = spelling()

let failed = 0
for (const { name, run, repair } of checks) {
  const done = await run()
  const { problems, note = '' }: Checked = 'problems' in done ? done : { problems: done }
  const wrong = problems.length > 0
  console.log(`${wrong ? 'FAIL' : 'ok  '} ${name}${note === '' ? '' : `: ${note}`}`)
  for (const problem of problems) console.log(problem)
  if (wrong) console.log(`     mend it: ${repair}`)
  if (wrong) failed++
}
process.exitCode = failed > 0 ? 1 : 0
console.log(`${checks.length - failed} passed, ${failed} failed`)

/** A document, if it is there. */
function read(path: string): readonly Source[] {
  return existsSync(join(root, path))
    ? [{ path, text: readFileSync(join(root, path), 'utf8') }]
    : []
}

function spelling(): Promise<readonly string[]> {
  return command(process.execPath, [cspell, 'lint', '--no-progress', '--quiet', '.'])
}

/** A program of the build, as a check. */
function node(file: string, ...args: readonly string[]): Promise<readonly string[]> {
  return command(process.execPath, [join(dist, file), ...args])
}

/** Nothing if the command succeeds, else what it printed. */
function command(program: string, args: readonly string[]): Promise<readonly string[]> {
  return new Promise((resolve) => {
    execFile(program, args, { cwd: root, maxBuffer: 1e8 }, (error, stdout, stderr) => {
      const said = `${stdout}${stderr}`.trimEnd() || `${args.join(' ')} failed`
      resolve(error === null ? [] : [said])
    })
  })
}
