/** `orch init`: a repository for an operator that builds, tests and runs. */
import { existsSync } from 'node:fs'
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import { basename, dirname, join, relative, resolve } from 'node:path'
import { kindName, lowerFirst } from '../../codegen/emit/code/names.ts'
import { packageRoot } from '../../codegen/main.ts'
import type { Terminal } from '../../daemons/run.ts'
import { readCommandLine } from './command-line.ts'
import { quoted } from './orchconfig.ts'

const help = `Makes a repository for an operator: a kind, a controller, a test, and the commands that build and run them.

Usage:
  orch init DIR --group GROUP --kind KIND [flags]

  orch init website-operator --group web.example.com --kind Website

Flags:
      --group GROUP      group of the kind: a domain name of yours, such as web.example.com
      --kind KIND        name of the kind, such as Website
      --plural NAME      its name in paths and commands (default: the kind in lower case with an English ending)
      --name NAME        name of the package and of the field manager (default: the name of the folder)
      --orch SPEC        what "orch" in package.json is (default: the file that this one was installed from, else this version)
  -h, --help             show this help

The folder may exist, as that of an empty repository does; a file that is there already is never overwritten.
`

const flags = {
  group: { type: 'string' },
  help: { type: 'boolean', short: 'h', default: false },
  kind: { type: 'string' },
  name: { type: 'string' },
  orch: { type: 'string' },
  plural: { type: 'string' },
} as const

/** The words in which a repository differs from the template. */
export interface OperatorNames {
  readonly name: string
  readonly group: string
  readonly kind: string
  readonly plural: string
}

/** Runs the command. 0: done; 1: a file is in the way; 2: the command line is wrong. */
export async function runInit({ args, print, printError }: Terminal): Promise<number> {
  const line = readCommandLine({ args: [...args], options: flags, allowPositionals: true })
  const failed = (code: number, problems: readonly string[]) => {
    for (const problem of problems) printError(`orch init: ${problem}`)
    return code
  }
  if (typeof line === 'string') return failed(2, [line])
  const { values, positionals } = line
  if (values.help) {
    print(help.trimEnd())
    return 0
  }
  const [folder = ''] = positionals
  const { group = '', kind = '' } = values
  const { plural = pluralOf(kind.toLowerCase()), name = basename(resolve(folder)) } = values
  const names = { name, group, kind, plural }
  const problems = [...wrongPlaces(positionals), ...wrongNames(names)]
  if (problems.length > 0) return failed(2, [...problems, 'run orch init --help for an example'])
  const files = await operatorFiles(names, values.orch ?? (await installedFrom(folder)))
  const inTheWay = [...files.keys()].filter((path) => existsSync(join(folder, path)))
  if (inTheWay.length > 0) {
    return failed(
      1,
      inTheWay.map((path) => `${join(folder, path)} is there already; nothing written`),
    )
  }
  for (const [path, text] of files) {
    await mkdir(dirname(join(folder, path)), { recursive: true })
    await writeFile(join(folder, path), text, { flag: 'wx' })
  }
  print(welcome(relative('', folder) || '.', names, files.size))
  return 0
}

function wrongPlaces(positionals: readonly string[]): readonly string[] {
  if (positionals.length === 1) return []
  const given = positionals.length === 0 ? 'none is' : `${positionals.length} are`
  return [`one folder is needed to say where the repository goes, and ${given} given`]
}

const given = (flag: string, value: string): string =>
  value === '' ? `${flag} is needed` : `${flag} ${value}`

/** What is wrong with the names of an operator; each message says what would be right. */
function wrongNames({ name, group, kind, plural }: OperatorNames): readonly string[] {
  const word = /^[a-z][a-z0-9]{0,62}$/
  const rows = [
    [
      /^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?(\.[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?)+$/.test(group) &&
        group.length < 254,
      `${given('--group', group)}: a group is a domain name with a dot, such as web.example.com`,
    ],
    [
      /^[A-Z][A-Za-z0-9]{0,62}$/.test(kind),
      `${given('--kind', kind)}: a kind begins with a capital and has letters and digits only, such as Website`,
    ],
    [word.test(plural), `--plural ${plural}: lower case letters and digits, such as websites`],
    [
      /^[a-z0-9][a-z0-9._-]{0,99}$/.test(name),
      `--name ${name}: lower case letters, digits and -, such as website-operator`,
    ],
  ] as const
  return rows.filter(([right]) => !right).map(([, problem]) => problem)
}

/** `policies` of `policy`, `boxes` of `box`, `websites` of `website`. */
export function pluralOf(word: string): string {
  if (/[bcdfghjklmnpqrstvwxz]y$/.test(word)) return `${word.slice(0, -1)}ies`
  return /(?:s|x|z|ch|sh)$/.test(word) ? `${word}es` : `${word}s`
}

/** The files of the repository by path: those of `templates/operator` in the operator's own words. */
export async function operatorFiles(
  names: OperatorNames,
  orch?: string,
): Promise<ReadonlyMap<string, string>> {
  const template = join(packageRoot, 'templates/operator')
  const reword = inWordsOf(names)
  const found = await readdir(template, { recursive: true, withFileTypes: true })
  const paths = found
    .filter((entry) => entry.isFile())
    .map((entry) => relative(template, join(entry.parentPath, entry.name)).replaceAll('\\', '/'))
    .sort()
  const files = new Map<string, string>()
  for (const path of paths) {
    const text = reword(await readFile(join(template, path), 'utf8'))
    const written = path === 'package.json' ? await withVersions(text, orch) : text
    // Packages may not contain a file of that name.
    files.set(path === 'gitignore' ? '.gitignore' : reword(path), written)
  }
  return files
}

/** Says a text of the template in the words of an operator. */
function inWordsOf({ name, group, kind, plural }: OperatorNames): (text: string) => string {
  const folder = group.split('.', 1)[0] ?? group
  const words: Readonly<Record<string, string>> = {
    'sample.example.com': group,
    'sample-operator': name,
    'sample-kind': dashed(kind),
    samplekinds: plural,
    sampleKinds: kindName({ kind, plural }),
    sampleKind: lowerFirst(kind),
    SampleKind: kind,
    'apis/sample/': `apis/${folder}/`,
    'schemas/sample/': `schemas/${folder}/`,
  }
  const any = new RegExp(
    Object.keys(words)
      .sort((a, b) => b.length - a.length)
      .map((word) => word.replaceAll('.', '\\.'))
      .join('|'),
    'g',
  )
  return (text) => text.replace(any, (word) => words[word] ?? word)
}

/** `web-site` of `WebSite`. */
function dashed(kind: string): string {
  return kind.replace(/(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])/g, '-').toLowerCase()
}

/** The file that npm installed this package from, as a package.json in `folder` names it; undefined for one of a registry. */
async function installedFrom(folder: string): Promise<string | undefined> {
  try {
    const modules = dirname(packageRoot)
    const lock = JSON.parse(await readFile(join(modules, '.package-lock.json'), 'utf8'))
    const { resolved } = lock.packages[`node_modules/${basename(packageRoot)}`]
    if (!/^file:.*\.tgz$/.test(resolved)) return undefined
    const file = resolve(dirname(modules), resolved.slice('file:'.length))
    return `file:${relative(resolve(folder), file).replaceAll('\\', '/')}`
  } catch {
    return undefined
  }
}

/** The package.json of the template with the versions that this package is built and tested with. */
async function withVersions(text: string, orch?: string): Promise<string> {
  const own = JSON.parse(await readFile(join(packageRoot, 'package.json'), 'utf8')) as {
    readonly version: string
    readonly devDependencies: Readonly<Record<string, string>>
  }
  const manifest = JSON.parse(text)
  manifest.dependencies.orch = orch ?? own.version
  for (const name of Object.keys(manifest.devDependencies)) {
    manifest.devDependencies[name] = own.devDependencies[name]
  }
  return `${JSON.stringify(manifest, undefined, 2)}\n`
}

function welcome(folder: string, { name, kind, group }: OperatorNames, count: number): string {
  const enter = folder === '.' ? [] : [`  cd ${quoted(folder)}`]
  return [
    `made ${name}, an operator for ${kind} of ${group}: ${count} files in ${folder}`,
    '',
    ...enter,
    '  npm install --omit=optional   # optional is what keeps objects in files; it may have to be compiled',
    '  npm test                      # compiles, and tests the controller against a real API server',
    '  npm run dev                   # a control plane and the operator, which follow every saved file',
  ].join('\n')
}
