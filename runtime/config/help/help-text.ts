import type { Option, OptionTable, OptionType } from '../../kernel/options/option-table.ts'
import { initialValue } from '../flags/flag-values.ts'

/** How the value of a flag is called in the help, by its type. */
const valueNames: Readonly<Record<OptionType, string>> = {
  bool: '',
  int: 'int',
  int32: 'int32',
  int64: 'int',
  float: 'float',
  string: 'string',
  duration: 'duration',
  quantity: 'quantity',
  strings: 'strings',
  stringArray: 'stringArray',
  stringToString: 'mapStringString',
  stringToBool: 'mapStringBool',
  patterns: 'pattern=N,...',
  word: 'word[=true]',
}

/** Columns. In a narrower terminal descriptions are printed below their flags. */
const narrow = 60

/** The help of a program: description, usage, and flags by section, wrapped to `width` columns. */
export function helpText(
  table: OptionTable,
  width: number,
  usage = `${table.daemon} [flags]`,
): string {
  const options = table.sections.flatMap((section) => section.options).filter(shown)
  const widest = Math.max(...options.map((option) => signature(option).length)) + 3
  const column = width < narrow ? 8 : Math.min(36, widest)
  const sections = table.sections
    .filter((section) => section.options.some(shown))
    .map(({ name, options }) => {
      const lines = options.filter(shown).map((option) => optionLines(option, column, width))
      return `${name} flags:\n\n${lines.join('\n')}\n`
    })
  const about = wrap(table.description.trim(), width).join('\n')
  return [`${about}\n`, `Usage:\n  ${usage}\n`, ...sections].join('\n')
}

/** Hidden flags work and are not printed. */
function shown({ hidden }: Option): boolean {
  return hidden !== true
}

/** The signature and, from `column` on, the description; a long signature has a line of its own. */
function optionLines(option: Option, column: number, width: number): string {
  const left = signature(option)
  const [first = '', ...more] = wrap(describe(option), Math.max(24, width - column))
  const indent = ' '.repeat(column)
  const opening = left.length + 2 > column ? [left, indent + first] : [left.padEnd(column) + first]
  return [...opening, ...more.map((line) => indent + line)].join('\n')
}

/** `  -v, --verbosity int`. A word in backquotes in the description names the value. */
function signature(option: Option): string {
  const letter = option.shorthand === undefined ? '    ' : `-${option.shorthand}, `
  const value = /`([^`]+)`/.exec(option.description)?.[1] ?? valueNames[option.type]
  return `  ${letter}--${option.flag}${value === '' ? '' : ` ${value}`}`
}

/** The description, then the values, the default and the deprecation, if there are any. */
function describe(option: Option): string {
  const text = option.description.replaceAll('`', '').trim()
  const values = option.values === undefined ? '' : ` One of: ${option.values.join(', ')}.`
  const given = defaultText(option)
  const old = option.deprecated === undefined ? '' : ` (DEPRECATED: ${option.deprecated})`
  return `${text}${values}${given === undefined ? '' : ` (default ${given})`}${old}`
}

/** The default as one would type it; undefined for the zero of the type, which is not printed. */
function defaultText(option: Option): string | undefined {
  const { type, format: form } = option
  const given: unknown = form === undefined ? option.default : initialValue(option)
  if (given instanceof Map) return given.size === 0 ? undefined : `[${pairsText(given)}]`
  if (Array.isArray(given)) return given.length === 0 ? undefined : `[${given.join(',')}]`
  if (typeof given === 'object' && given !== null) {
    const pairs = Object.entries(given).map(([key, value]) => `${key}=${String(value)}`)
    return pairs.length === 0 ? undefined : `[${pairs.join(',')}]`
  }
  const zero = given === undefined || given === null || given === '' || given === false
  if (zero || given === 0 || given === '0s') return undefined
  return type === 'string' ? JSON.stringify(given) : String(given)
}

/** `a=b,c=d` */
function pairsText(pairs: ReadonlyMap<string, string>): string {
  return [...pairs].map(([key, value]) => `${key}=${value}`).join(',')
}

/** Breaks a text into lines of up to `width` columns; a longer word has a line of its own. */
function wrap(text: string, width: number): readonly string[] {
  const lines: string[] = []
  let line = ''
  for (const word of text.split(/\s+/)) {
    if (line !== '' && line.length + 1 + word.length > width) {
      lines.push(line)
      line = word
    } else {
      line = line === '' ? word : `${line} ${word}`
    }
  }
  return line === '' ? lines : [...lines, line]
}
