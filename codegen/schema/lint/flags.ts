/** Lint: flags of daemons. */
import type { OptionFormat } from '../../../runtime/kernel/options/option-table.ts'
import { didYouMean } from '../../../runtime/kernel/values/spelling.ts'
import { isConfig } from '../files/layout.ts'
import type { Report } from '../finding.ts'
import type { OptionFacts } from '../ir.ts'
import type { LintRule } from './lint-rule.ts'

/** The types that flags can have. */
const types: readonly OptionFacts['type'][] = [
  'bool',
  'int',
  'int32',
  'int64',
  'float',
  'string',
  'duration',
  'quantity',
  'strings',
  'stringToString',
  'stringToBool',
  'stringArray',
  'patterns',
  'word',
]

/**
 * In a daemon, flags and shorthands are unique; their types exist and defaults are of them; a replacement is another
 * flag.
 */
export const checkFlags: LintRule = ({ api }, report) => {
  const kinds = new Set(
    api.types.flatMap((type) =>
      type.is === 'struct' && type.root && isConfig(type.at.file) ? [type.name] : [],
    ),
  )
  for (const { daemon, sections } of api.optionSets) {
    const flags = new Set<string>()
    const shorthands = new Map<string, string>()
    for (const option of sections.flatMap(({ options }) => options)) {
      const { flag, shorthand, at } = option
      if (flags.has(flag)) report(at, 'duplicate-flag', `${daemon} already has the flag "${flag}"`)
      flags.add(flag)
      const other = shorthand && shorthands.get(shorthand)
      if (other) report(at, 'duplicate-flag', `"-${shorthand}" is already short for "${other}"`)
      if (shorthand) shorthands.set(shorthand, flag)
      checkOption(option, report)
      if (option.configFileKind !== undefined && !kinds.has(option.configFileKind)) {
        const near = didYouMean(option.configFileKind, kinds)
        report(at, 'unknown-kind', `no configuration is called "${option.configFileKind}"${near}`)
      }
    }
    for (const { flag, lifecycle: life, at } of sections.flatMap(({ options }) => options)) {
      const replacement = life?.replacement
      if (replacement === undefined || (flags.has(replacement) && replacement !== flag)) continue
      const near = didYouMean(replacement, flags)
      report(at, 'unknown-flag', `"${replacement}" cannot replace "${flag}": no such flag${near}`)
    }
  }
}

/** The rules about one flag. */
function checkOption(option: OptionFacts, report: Report): void {
  const { flag, type, at, shorthand } = option
  if (!/^([a-z]|<vendor>-[a-z])([-a-z0-9]*[a-z0-9])?$/.test(flag)) {
    report(at, 'bad-flag', `the flag "${flag}" must be lower-case letters, digits and hyphens`)
  }
  if (shorthand !== undefined && !/^[A-Za-z]$/.test(shorthand)) {
    report(at, 'bad-flag', `the shorthand "${shorthand}" of "${flag}" must be one letter`)
  }
  if (!types.includes(type)) {
    const wanted = types.map((each) => `"${each}"`).join(', ')
    const message = `"${type}" is not a type of flags; expected ${wanted}${didYouMean(type, types)}`
    report(at, 'unknown-flag-type', message)
    return
  }
  if (option.format !== undefined && !formats.includes(option.format)) {
    const message = `"${option.format}" is not a format of flags${didYouMean(option.format, formats)}`
    report(at, 'unknown-format', message)
  }
  const wanted = option.default === undefined ? undefined : refusal(option)
  if (wanted === undefined) return
  const value = JSON.stringify(option.default)
  report(at, 'bad-default', `the default of "${flag}" is ${value}; expected ${wanted}`)
}

/** The named formats of flags, which the configuration check knows. */
const formats: readonly OptionFormat[] = [
  'assignments',
  'headers',
  'numa-memory',
  'patterns',
  'taints',
  'thresholds',
]

/** What a default of the flag's type looks like, if this one does not. */
function refusal({ type, default: value, values, format: form }: OptionFacts): string | undefined {
  if (form !== undefined) return undefined
  switch (type) {
    case 'bool':
      return typeof value === 'boolean' ? undefined : 'true or false'
    case 'int':
    case 'int32':
    case 'int64':
      return Number.isInteger(value) ? undefined : 'an integer'
    case 'float':
      return typeof value === 'number' ? undefined : 'a number'
    case 'strings':
    case 'stringArray':
      return Array.isArray(value) ? undefined : 'a list'
    case 'stringToString':
    case 'stringToBool':
      return typeof value === 'object' ? undefined : 'a mapping'
    default:
      if (typeof value !== 'string') return 'a string'
      if (values === undefined || value === '' || values.includes(value)) return undefined
      return `one of ${values.map((each) => `"${each}"`).join(', ')}`
  }
}
