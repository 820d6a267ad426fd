/** The manifests of evaluated modules: kinds, layers, order and what a server would say of them. */
import {
  type BuildKinds,
  buildObjects,
  identityOf,
  type Problem,
  type SourcedObject,
  type Spot,
  spotOf,
} from '../../../runtime/build/build.ts'
import type { AnyKind } from '../../../runtime/kernel/descriptors/kind.ts'
import type { Scheme } from '../../../runtime/kernel/descriptors/scheme.ts'
import { apiVersionOf } from '../../../runtime/kernel/meta/object.ts'
import { isObject, type Json, type JsonObject } from '../../../runtime/kernel/values/json.ts'
import {
  encodeYaml,
  type LocatedEntry,
  type LocatedValue,
  type TextRange,
} from '../../../runtime/serializer/serializer.ts'
import {
  type Finding,
  openValidator,
  type PlatformSource,
  type Validator,
} from '../../../runtime/validate/validate.ts'
import { platformsOf } from '../validate/platforms.ts'
import type { EvaluatedModule } from './evaluate.ts'
import { joined } from './output-files.ts'

/** A module that is being evaluated. */
export interface EvaluatedFile {
  readonly file: string
  readonly evaluated: Promise<EvaluatedModule>
}

/** A module's manifests, and what is wrong with them. */
export interface BuiltModule {
  readonly text: string
  readonly objects: number
  readonly findings: readonly Finding[]
  readonly lines: readonly string[]
}

/** Makes the manifests of modules by the kinds that they may use. */
export function buildModules(
  files: readonly EvaluatedFile[],
  kinds: {
    readonly platform: string
    readonly schemas: readonly string[]
    readonly complain: (line: string) => void
  },
): Promise<readonly BuiltModule[]> {
  const platforms = platformsOf(kinds.platform, kinds.schemas, kinds.complain).map(loadedOnce)
  return Promise.all(files.map((one) => buildModule(one, platforms)))
}

async function buildModule(
  { file, evaluated }: EvaluatedFile,
  platforms: readonly PlatformSource[],
): Promise<BuiltModule> {
  const usual = openValidator({ platforms, today })
  const [{ exported, lines, problems }, kinds] = await Promise.all([
    evaluated,
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
  findings.push(...(await validator.across()).findings)
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
  const entries: LocatedEntry<TextRange>[] = []
  for (const key of Object.keys(value)) {
    const part = value[key]
    if (part !== undefined) entries.push({ key, keyAt: nowhere, value: located(part) })
  }
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
