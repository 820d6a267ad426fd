/** The flags of a daemon's unit file, moved into its configuration file: the daemon means the same afterwards, or nothing changes. */
import { isDeepStrictEqual } from 'node:util'
import { features } from '../../../generated/features.ts'
import { optionTables } from '../../../generated/options.ts'
import { type Configuration, configFiles, parseOptions } from '../../../runtime/config/config.ts'
import { type OptionTable, optionsOf } from '../../../runtime/kernel/options/option-table.ts'
import { nearestName } from '../../../runtime/kernel/values/spelling.ts'
import {
  type Finding,
  plainValue,
  rules,
  type TextEdit,
} from '../../../runtime/validate/validate.ts'
import { edited } from '../edited-files.ts'
import { extendedConfigText, type NewField, newConfigText } from './config-text.ts'
import { linesThatGo, withoutWords } from './unit-edits.ts'
import { startCommands, type UnitCommand, type UnitProblem, type UnitWord } from './unit-file.ts'
import { daemonOf, flagsIn, type GivenFlag } from './unit-flags.ts'

/** A unit, and the configuration file of its daemon. */
export interface UnitInput {
  readonly name: string
  readonly text: string
  /** The file here, and its path where the daemon runs. */
  readonly config: { readonly file: string; readonly path: string } | undefined
  readonly read: (file: string) => Promise<string | undefined>
}

/** What becomes of both, or why nothing does. */
export type UnitMigration =
  | { readonly unit: string; readonly file: string; readonly config: string }
  | { readonly refused: readonly Finding[] }
  /** No flag of it has a field. */
  | undefined

/** Moves flags that have fields; others stay where they are. */
export async function migrateUnit(input: UnitInput): Promise<UnitMigration> {
  const moved = await moveFlags(input)
  if (moved === undefined || !('message' in moved)) return moved
  const { message, at } = moved
  const before = input.text.slice(0, at).split('\n')
  const column = (before.at(-1) ?? '').length + 1
  const range = { line: before.length, column, offset: at, end: moved.end ?? at + 1 }
  const { severity } = rules['migrate.refused']
  return { refused: [{ rule: 'migrate.refused', severity, message, file: input.name, at: range }] }
}

type Refusal = UnitProblem & { readonly end?: number }

async function moveFlags(
  input: UnitInput,
): Promise<Exclude<UnitMigration, { readonly refused: unknown }> | Refusal> {
  const started = startOf(input.text)
  if ('message' in started) return started
  const { command, program, daemon, args } = started
  const table = await (optionTables[daemon] as () => Promise<OptionTable>)()
  if (table.config === undefined) {
    return at(program, `${daemon} has no configuration file: its flags stay where they are`)
  }
  const flags = flagsIn(args, table)
  if ('message' in flags) return flags
  const moving = flags.filter(({ option }) => option.field !== undefined)
  if (moving.length === 0) return undefined
  const obstacle = obstacleIn(flags)
  if (obstacle !== undefined) return obstacle
  const place = await placeOf(input, flags, program)
  if ('message' in place) return place
  const { file, path, named, text } = place
  // What only the start of the unit tells stays as it is, and is left out of what is compared.
  const unknown = flags.filter(({ words }) => words.some((one) => one.unknown !== undefined))
  const open = new Set(unknown.flatMap(({ words }) => words))
  const said = args.filter((one) => !open.has(one))
  const before = await meaning(table, said.map(wordText), text, file)
  const wrong = before.findings[0]
  if (wrong !== undefined) {
    const flag = flags.find(({ option }) => wrong.location.text === `--${option.flag}`)
    return at(flag?.words[0] ?? program, wrong.message)
  }
  const moved = new Set(moving.flatMap(({ words }) => words))
  const comments = commentsAbove(input.text, command, moved)
  const fields = await fieldsOf(table, moving, comments)
  const config = await configText(table, text, fields, file, moving)
  if (typeof config !== 'string') return config
  const gone = new Set([...moved, ...(named?.words ?? [])])
  const kept = said.filter((one) => !gone.has(one)).map(wordText)
  const after = await meaning(table, kept, config, file)
  const difference = after.findings[0]?.message ?? differenceOf(table, before, after)
  if (difference !== undefined)
    return at(program, `the file would not mean the same: ${difference}`)
  const removed = withoutWords(input.text, command, gone)
  const end = program.end
  const edit: TextEdit = { start: end, end, text: ` --config=${quoted(path)}` }
  return { unit: edited(input.text, [withInsertion(removed, edit)]), file, config }
}

/** What is put in where something is taken out is one change with it. */
function withInsertion(removed: readonly TextEdit[], added: TextEdit): readonly TextEdit[] {
  const touching = removed.find(({ start, end }) => start <= added.start && added.start <= end)
  if (touching === undefined) return [added, ...removed]
  return removed.map((one) => (one === touching ? { ...one, text: added.text } : one))
}

function at({ start, end }: UnitWord, message: string): Refusal {
  return { message, at: start, end }
}

const wordText = ({ text }: UnitWord): string => text

/** The one daemon that a unit starts. */
function startOf(text: string) {
  const commands = startCommands(text)
  const wrong = commands.find((one) => 'message' in one)
  if (wrong !== undefined && 'message' in wrong) return wrong
  const daemons = Object.keys(optionTables)
  const found = (commands as readonly UnitCommand[]).flatMap((command) => {
    const daemon = daemonOf(command, daemons)
    return daemon === undefined ? [] : [{ command, ...daemon }]
  })
  const [first, second] = found
  if (second !== undefined)
    return at(second.program, 'a unit that starts two daemons is not rewritten')
  if (first !== undefined) return first
  const program = (commands[0] as UnitCommand | undefined)?.words[0]
  if (program === undefined) return { message: 'no ExecStart= is in [Service]', at: 0 }
  const name = program.text.replace(/^.*\//, '')
  const near = nearestName(name, daemons)
  const hint = near === undefined ? `one of ${daemons.join(', ')}` : `did you mean ${near}?`
  return at(program, `${name} is none of our daemons; ${hint}`)
}

/** What is known only when the unit starts cannot be written into a file. */
function obstacleIn(flags: readonly GivenFlag[]): Refusal | undefined {
  for (const { option, words } of flags) {
    const word = words.find(({ unknown }) => unknown !== undefined)
    if (word !== undefined && (option.field !== undefined || option.flag.startsWith('config'))) {
      return at(
        word,
        `--${option.flag}: ${word.unknown} is known only when the unit starts; write its value`,
      )
    }
    if (option.flag === 'config-dir') {
      const why =
        'fragments there would override what flags say now; move the flags into a fragment by hand'
      return at(words[0] as UnitWord, `--config-dir: ${why}`)
    }
  }
  return undefined
}

/** The configuration file: the one that the command line names, or the one that was asked for. */
async function placeOf(
  { config, read }: UnitInput,
  flags: readonly GivenFlag[],
  program: UnitWord,
) {
  const named = flags.findLast(({ option }) => option.flag === 'config')
  const word = named?.words.at(-1)
  const path = word?.text.replace(/^--config=/, '')
  if (named === undefined || word === undefined || path === undefined) {
    if (config !== undefined) return { ...config, named, text: await read(config.file) }
    return at(program, 'it has no configuration file yet; say with --config where it is to be')
  }
  const file = config?.file ?? path
  const text = await read(file)
  if (text !== undefined) return { file, path, named, text }
  return at(word, `${path} is not here; say with --config FILE where it is on this machine`)
}

/** What a daemon with these arguments and this file would be told. */
async function meaning(
  table: OptionTable,
  args: readonly string[],
  text: string | undefined,
  file: string,
): Promise<Configuration> {
  const { loadConfiguration } = await configFiles()
  const sources = text === undefined ? [] : [{ name: file, text, origin: 'file' as const }]
  return loadConfiguration({ table, commandLine: parseOptions(table, args), features, sources })
}

/** The fields that flags set, as the daemon reads them. */
async function fieldsOf(
  table: OptionTable,
  moving: readonly GivenFlag[],
  comments: ReadonlyMap<UnitWord, readonly string[]>,
): Promise<readonly NewField[]> {
  const { followPath } = await configFiles()
  const args = moving.flatMap(({ words }) => words.map(wordText))
  const { root } = await meaning(table, args, undefined, '')
  const paths = new Set(moving.map(({ option }) => option.field as string))
  return [...paths].map((path) => {
    const own = moving.filter(({ option }) => option.field === path).flatMap(({ words }) => words)
    const value = plainValue(followPath(root, path).node)
    return { path, value, comments: own.flatMap((one) => comments.get(one) ?? []) }
  })
}

/** The comments above lines that go, by the first word of each. */
function commentsAbove(
  text: string,
  command: UnitCommand,
  moved: ReadonlySet<UnitWord>,
): ReadonlyMap<UnitWord, readonly string[]> {
  const rows = linesThatGo(command, moved).map(({ words, above }) => {
    const said = above.map(({ start, end }) => text.slice(start, end).trim().slice(1))
    return [words[0] as UnitWord, said] as const
  })
  return new Map(rows)
}

async function configText(
  { config }: OptionTable,
  text: string | undefined,
  fields: readonly NewField[],
  file: string,
  moving: readonly GivenFlag[],
): Promise<string | Refusal> {
  if (config === undefined) return ''
  if (text === undefined) return newConfigText(config, fields)
  const extended = await extendedConfigText(text, fields)
  if ('text' in extended) return extended.text
  const { taken, at: place } = extended
  const flag = moving.findLast(({ option }) => option.field === taken.path) as GivenFlag
  const message = `--${flag.option.flag} overrides ${taken.path} of ${file}:${place.line}:${place.column}, which says something else; keep one of them`
  return at(flag.words[0] as UnitWord, message)
}

/** The first option or field that is another one; undefined if all are as they were. */
function differenceOf(
  table: OptionTable,
  before: Configuration,
  after: Configuration,
): string | undefined {
  if (!isDeepStrictEqual(before.value, after.value)) return 'a field has another value'
  const other = optionsOf(table).find(
    ({ flag, field }) =>
      field === undefined &&
      flag !== 'config' &&
      !isDeepStrictEqual(before.options.value(flag), after.options.value(flag)),
  )
  return other && `--${other.flag} has another value`
}

/** A path as a word of a unit. */
function quoted(path: string): string {
  const escaped = path.replaceAll('%', '%%').replaceAll('$', '$$$$')
  return /[\s"'\\]/.test(path) ? `"${escaped.replace(/["\\]/g, '\\$&')}"` : escaped
}
