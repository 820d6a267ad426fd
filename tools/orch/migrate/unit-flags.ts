/** The flags of a daemon's command line, and the words that give them. */
import { parseOptions } from '../../../runtime/config/config.ts'
import {
  type Option,
  type OptionTable,
  optionsOf,
} from '../../../runtime/kernel/options/option-table.ts'
import type { UnitCommand, UnitProblem, UnitWord } from './unit-file.ts'

/** A flag as a command line gives it. */
export interface GivenFlag {
  readonly option: Option
  readonly words: readonly UnitWord[]
}

/** The program of a command and what stands behind it. */
export interface DaemonCommand {
  readonly daemon: string
  /** The word behind which flags begin. */
  readonly program: UnitWord
  readonly args: readonly UnitWord[]
}

/** The daemon that a command starts, alone or by Node; undefined for another program. */
export function daemonOf(
  { words, prefix }: UnitCommand,
  daemons: readonly string[],
): DaemonCommand | undefined {
  const nameOf = ({ text }: UnitWord) => text.replace(/^.*\//, '').replace(/\.js$/, '')
  const index = words.findIndex((one) => daemons.includes(nameOf(one)))
  const before = words.slice(0, index)
  const isNode = before.every((one, at) => (at === 0 ? nameOf(one) === 'node' : one.text !== '-e'))
  if (index < 0 || !isNode) return undefined
  // With @ the word behind the program is what it is called.
  const behind = index + (prefix.includes('@') ? 1 : 0)
  const program = words[behind] ?? (words[index] as UnitWord)
  return { daemon: nameOf(words[index] as UnitWord), program, args: words.slice(behind + 1) }
}

/** What is wrong with a flag, as far as its value is known. */
function wrongIn(words: readonly UnitWord[], table: OptionTable): string | undefined {
  if (words.some(({ unknown }) => unknown !== undefined)) return undefined
  const args = words.map(({ text }) => text)
  return parseOptions(table, args).errors[0]
}

/** The flags of a command line by the rules of `parseOptions`, or why they are not known. */
export function flagsIn(
  args: readonly UnitWord[],
  table: OptionTable,
): readonly GivenFlag[] | UnitProblem {
  const options = optionsOf(table)
  const found: GivenFlag[] = []
  for (let at = 0; at < args.length; at++) {
    const word = args[at] as UnitWord
    const { text, start, unknown } = word
    const equals = text.indexOf('=')
    const name = (equals < 0 ? text : text.slice(0, equals)).replace(/^--/, '').replaceAll('_', '-')
    const isLong = text.startsWith('--') && text.length > 2
    const isLetter = /^-[a-z]/i.test(text)
    if (!isLong && !isLetter) {
      const message =
        unknown === undefined
          ? `${text} is no flag; take it out`
          : `${unknown} may be any flags: write what it stands for in its place`
      return { message, at: start }
    }
    const option = options.find((one) => (isLong ? one.flag === name : one.shorthand === text[1]))
    if (option === undefined) return { message: wrongIn([word], table) ?? text, at: start }
    const isWhole = isLong ? equals >= 0 : text.length > 2
    const isBare = option.type === 'bool' || option.type === 'word'
    const value = isWhole || isBare ? undefined : args[++at]
    const words = value === undefined ? [word] : [word, value]
    const message = wrongIn(words, table)
    if (message !== undefined) return { message, at: start }
    found.push({ option, words })
  }
  return found
}
