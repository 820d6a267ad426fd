/** `orch build`: manifests of configuration modules. */
import { mkdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises'
import { basename, dirname, join, resolve } from 'node:path'
import type { Terminal } from '../../daemons/run.ts'
import { packageVersion } from '../../daemons/version.ts'
import {
  type BuildKinds,
  buildObjects,
  identityOf,
  type Problem,
  type SourcedObject,
  type Spot,
  spotOf,
} from '../../runtime/build/build.ts'
import type { AnyKind } from '../../runtime/kernel/descriptors/kind.ts'
import type { Scheme } from '../../runtime/kernel/descriptors/scheme.ts'
import { apiVersionOf } from '../../runtime/kernel/meta/object.ts'
import { isObject, type Json, type JsonObject } from '../../runtime/kernel/values/json.ts'
import {
  encodeYaml,
  type LocatedValue,
  type TextRange,
} from '../../runtime/serializer/serializer.ts'
import {
  type Finding,
  formats,
  openValidator,
  type PlatformSource,
  type Validator,
} from '../../runtime/validate/validate.ts'
import { evaluateModule } from './build/evaluate.ts'
import { readCommandLine } from './command-line.ts'
import { platformsOf } from './validate/platforms.ts'

const help = `Makes manifests of configuration modules: TypeScript that exports objects. A module is evaluated without files, network, time, randomness
or environment, so that it gives the same manifests everywhere; they are validated as orch validate does, ordered, and printed as YAML.

Usage:
  orch build MODULE... [flags]

  orch build deploy/production.config.ts
  orch build deploy/*.config.ts --out manifests
  orch build deploy/*.config.ts --out manifests --check

Flags:
      --check                compare with the files of --out, and write nothing
  -h, --help                 show this help
      --out PATH             a file, or a folder in which NAME.config.ts becomes NAME.yaml (default: standard output)
      --platform FILE        a file of platform names, whose kinds count in place of those of orch and of the public ecosystem
      --root FOLDER          what modules may import stands in it (default: the working directory)
      --schemas FOLDER       schema files whose kinds are known, too; may be given several times
      --timeout SECONDS      a module that runs longer is ended (default 10)

Exit codes: 0 built, 1 something is wrong, or --check found a difference, 2 the command line is wrong.`

const flags = {
  check: { type: 'boolean', default: false },
  help: { type: 'boolean', short: 'h', default: false },
  out: { type: 'string' },
  platform: { type: 'string', default: '' },
  root: { type: 'string', default: '.' },
  schemas: { type: 'string', multiple: true, default: [] as string[] },
  timeout: { type: 'string', default: '10' },
} as const

/** Runs the command. */
export async function runBuild(terminal: Terminal): Promise<number> {
  const line = readCommandLine({
    args: [...terminal.args],
    options: flags,
    allowPositionals: true,
  })
  if (typeof line === 'string') return misuse(terminal, line)
  const { values, positionals: modules } = line
  if (values.help) {
    terminal.print(help)
    return 0
  }
  if (modules.length === 0) return misuse(terminal, 'name a module, such as production.config.ts')
  if (values.check && values.out === undefined) {
    return misuse(terminal, '--check compares with files: say which with --out')
  }
  const timeout = Number(values.timeout) * 1000
  if (!(timeout >= 100 && timeout <= 600_000)) {
    return misuse(terminal, `--timeout ${values.timeout}: has to be 0.1 to 600 seconds`)
  }
  for (const module of modules) {
    const info = await stat(module).catch(() => undefined)
    if (info?.isFile() !== true) return misuse(terminal, `${module}: there is no such file`)
  }
  const complain = (text: string) => terminal.printError(text)
  const platforms = platformsOf(values.platform, values.schemas, complain).map(loadedOnce)
  const limits = { root: values.root, timeout }
  const built = await Promise.all(modules.map((one) => buildModule(one, platforms, limits)))
  for (const text of built.flatMap(({ lines }) => lines)) terminal.printError(text)
  const findings = built.flatMap((one) => one.findings)
  if (findings.length > 0) await report(terminal, findings, modules, built)
  if (findings.some(({ severity }) => severity === 'error')) return 1
  const { out } = values
  const texts = built.map(({ text }) => text)
  if (out === undefined) {
    terminal.print(joined(texts).trimEnd())
    return 0
  }
  const files = await filesOf(out, modules, texts)
  if (files === undefined) return misuse(terminal, `${out}: two modules become one file`)
  return values.check ? compare(terminal, files) : write(files)
}

/** A module's manifests, and what is wrong with them. */
interface BuiltModule {
  readonly text: string
  readonly objects: number
  readonly findings: readonly Finding[]
  readonly lines: readonly string[]
}

async function buildModule(
  file: string,
  platforms: readonly PlatformSource[],
  limits: { readonly root: string; readonly timeout: number },
): Promise<BuiltModule> {
  const usual = openValidator({ platforms, today })
  const [{ exported, lines, problems }, kinds] = await Promise.all([
    evaluateModule(file, limits),
    kindsOf(platforms),
    // While the module is evaluated there is time to open what most modules need.
    usual.platforms('needed'),
  ])
  const found = await kinds(JSON.stringify(exported.map(({ value }) => value)))
  const isUsual = found.platforms[0] === platforms[0]
  const validator = isUsual ? usual : openValidator({ platforms: found.platforms, today })
  try {
    const built = buildObjects(exported, found)
    const wrong = [...problems, ...built.problems].map((one) => problemFinding(file, one))
    if (wrong.length > 0) return { text: '', objects: 0, findings: wrong, lines }
    if (built.objects.length === 0) {
      const message = `${file} exports no object`
      const findings = [problemFinding(file, { rule: 'build.value', message })]
      return { text: '', objects: 0, findings, lines }
    }
    const texts = await Promise.all(built.objects.map(({ value }) => yamlOf(value)))
    const findings = await validated(file, built.objects, texts, validator)
    return { text: joined(texts), objects: built.objects.length, findings, lines }
  } finally {
    await usual.close()
    if (!isUsual) await validator.close()
  }
}

/** No comment suppresses anything here. */
const today = '9999-12-31'

/** What is known of the kinds of objects. */
interface Kinds extends BuildKinds {
  /** Those of the objects first. */
  readonly platforms: readonly PlatformSource[]
}

/** Loads the first platform at once, and the one whose marks the objects have when they are known. */
async function kindsOf(
  platforms: readonly PlatformSource[],
): Promise<(text: string) => Promise<Kinds>> {
  const [first] = platforms as readonly [PlatformSource]
  await first.load()
  return async (text) => {
    const own = platforms.find(({ marks }) => marks.some((mark) => text.includes(mark))) ?? first
    const { routes, fieldTypes } = await own.load()
    const kinds = new Map(
      Object.values(routes).map((kind) => [`${apiVersionOf(kind)}/${kind.kind}`, kind]),
    )
    const kindOf = (object: JsonObject): AnyKind | undefined => {
      const { apiVersion, kind } = identityOf(object)
      return kinds.get(`${apiVersion}/${kind}`)
    }
    return {
      mergeOf: (object) => kindOf(object)?.merge ?? {},
      isNamespaced: (object) => kindOf(object)?.scope !== 'Cluster',
      fieldTypes: (await fieldTypes?.()) ?? { structs: {}, unions: {}, kinds: {} },
      platforms: [own, ...platforms.filter((one) => one !== own)],
    }
  }
}

/** The platform, which is loaded once for all modules. */
function loadedOnce({ marks, load }: PlatformSource): PlatformSource {
  let scheme: Promise<Scheme> | undefined
  return {
    marks,
    load: () => {
      scheme ??= load()
      return scheme
    },
  }
}

async function yamlOf(value: JsonObject): Promise<string> {
  return Buffer.from(await encodeYaml(JSON.stringify(value))).toString()
}

const separator = '---\n'

function joined(texts: readonly string[]): string {
  return texts.join(separator)
}

/** What a server would say, and what objects say of each other, at the lines of the modules. */
async function validated(
  file: string,
  objects: readonly SourcedObject[],
  texts: readonly string[],
  validator: Validator,
): Promise<readonly Finding[]> {
  for (const text of texts) {
    if (!validator.teaching().some((word) => text.includes(word))) continue
    await validator.learn({ name: file, text })
  }
  // Each object is a file of its own there: its number tells which one a finding is about.
  const findings: Finding[] = []
  for (const [index, { value }] of objects.entries()) {
    findings.push(...(await validator.checkValue(String(index), located(value))))
  }
  findings.push(...validator.across().findings)
  const line = ({ at }: Finding) => at?.line ?? 0
  return findings
    .map((one) => atModule(one, objects[Number(one.file)] as SourcedObject, file))
    .sort((a, b) => (a.file < b.file ? -1 : a.file > b.file ? 1 : line(a) - line(b)))
}

const nowhere: TextRange = { line: 1, column: 1, offset: 0, end: 0 }

/** A value without a text: its places are looked up by path, once there is a finding. */
function located(value: Json): LocatedValue<TextRange> {
  if (Array.isArray(value)) return { is: 'list', items: value.map(located), at: nowhere }
  if (!isObject(value)) return { is: 'scalar', value, at: nowhere }
  const entries = Object.entries(value).flatMap(([key, part]) =>
    part === undefined ? [] : [{ key, keyAt: nowhere, value: located(part) }],
  )
  return { is: 'map', entries, at: nowhere }
}

/** The finding at the line that states the field. What it says of the YAML is left out. */
function atModule(
  { at: _, fix: _fix, related: _related, ...finding }: Finding,
  object: SourcedObject,
  file: string,
): Finding {
  const spot = spotOf(object, finding.path ?? '')
  const { kind, name, namespace } = identityOf(object.value)
  const message = `${kind} ${namespace && `${namespace}/`}${name}: ${finding.message}`
  return { ...finding, message, file, ...(spot && placed(spot)) }
}

function problemFinding(file: string, { rule, message, at, related }: Problem): Finding {
  return {
    rule,
    severity: 'error',
    message,
    file,
    ...(at && placed(at)),
    ...(related && {
      related: related.map((one) => ({ message: one.message, ...placed(one.at) })),
    }),
  }
}

/** How far a mark reaches is not known. */
function placed({ file, line, column }: Spot) {
  return { file, at: { line, column, offset: 0, end: 1 } }
}

async function report(
  terminal: Terminal,
  findings: readonly Finding[],
  files: readonly string[],
  built: readonly BuiltModule[],
): Promise<void> {
  const texts = new Map<string, readonly string[]>()
  for (const { file } of findings) {
    if (texts.has(file)) continue
    texts.set(file, (await readFile(file, 'utf8').catch(() => '')).split('\n'))
  }
  const text = formats.text({
    findings,
    files,
    objects: built.reduce((sum, { objects }) => sum + objects, 0),
    suppressed: 0,
    known: 0,
    version: packageVersion(),
    line: (file, number) => texts.get(file)?.[number - 1],
    colour: process.stderr.isTTY === true && !terminal.environment.NO_COLOR,
  })
  terminal.printError(text)
}

/** The files that modules become, by name; undefined if two become one. A path that ends in .yaml is a file of all. */
async function filesOf(
  out: string,
  modules: readonly string[],
  texts: readonly string[],
): Promise<ReadonlyMap<string, string> | undefined> {
  if (/\.ya?ml$/.test(out)) return new Map([[out, joined(texts)]])
  const names = modules.map((one) =>
    join(out, `${basename(one).replace(/(\.config)?\.[cm]?[jt]s$/, '')}.yaml`),
  )
  const files = new Map(names.map((name, at) => [name, texts[at] ?? '']))
  return files.size === names.length ? files : undefined
}

/** Each file appears whole or not at all. */
async function write(files: ReadonlyMap<string, string>): Promise<number> {
  for (const [file, text] of files) {
    await mkdir(dirname(resolve(file)), { recursive: true })
    const fresh = `${file}.${process.pid}.tmp`
    try {
      await writeFile(fresh, text, { flag: 'wx' })
      await rename(fresh, file)
    } catch (error) {
      await rm(fresh, { force: true })
      throw error
    }
  }
  return 0
}

/** Says which files are not what would be written. */
async function compare(
  { printError }: Terminal,
  files: ReadonlyMap<string, string>,
): Promise<number> {
  let code = 0
  for (const [file, text] of files) {
    const there = await readFile(file, 'utf8').catch(() => undefined)
    if (there === text) continue
    code = 1
    const { createTwoFilesPatch } = await import('diff')
    printError(
      there === undefined
        ? `${file} is not there; orch build without --check writes it`
        : `${file} is not what its module gives; orch build without --check writes it\n${createTwoFilesPatch(file, file, there, text, 'as it is', 'as it would be').trimEnd()}`,
    )
  }
  return code
}

/** 2: the command line is wrong. */
function misuse({ printError }: Terminal, problem: string): number {
  printError(`orch build: ${problem}\nrun orch build --help to see how it is used`)
  return 2
}
