/** The platform file, and its names in schema files: `${brand}`, `${Brand}`, `${BRAND}`. */
import type { Platform } from '../../../runtime/kernel/descriptors/platform.ts'
import { didYouMean } from '../../../runtime/kernel/values/spelling.ts'
import type { Report } from '../finding.ts'
import { entries, text, type YamlNode } from '../yaml/node.ts'
import type { Substitute } from '../yaml/parse.ts'

/** The names that a platform must have, in their order in the output. */
const names: readonly (keyof Platform)[] = [
  'brand',
  'prefix',
  'api',
  'domain',
  'extension',
  'vendor',
  'agent',
  'client',
  'schemaPackage',
  'release',
]
/** The names under which the public ecosystem knows the same things. */
const optional: readonly (keyof Platform)[] = [
  'publicBrand',
  'publicPrefix',
  'publicApi',
  'publicDomain',
  'publicExtension',
  'publicVendor',
  'publicAgent',
]
const known = [...names, ...optional]

/** Leaves text as it is: for the platform file itself. */
export const keepText: Substitute = (text) => text

/** Reads the names of a platform file. A missing name, an unknown one and a release of another form are findings. */
export function readPlatform(node: YamlNode, report: Report): Platform {
  const found = new Map<string, string>()
  for (const { key, keyAt, value } of entries(node)) {
    if (key !== 'names') {
      report(
        keyAt,
        'unknown-keyword',
        `"${key}" is not a keyword of a platform file${didYouMean(key, ['names'])}`,
      )
      continue
    }
    for (const each of entries(value)) {
      if (!known.some((name) => name === each.key)) {
        report(
          each.keyAt,
          'unknown-name',
          `"${each.key}" is not a platform name${didYouMean(each.key, known)}`,
        )
      }
      const name = text(each.value)
      if (name === undefined) report(each.value.at, 'wrong-value', `"${each.key}" must be a string`)
      else found.set(each.key, name)
      if (each.key === 'release' && !/^\d{1,4}\.\d{1,4}\.\d{1,4}$/.test(name ?? '0.0.0')) {
        report(each.value.at, 'wrong-value', '"release" must be MAJOR.MINOR.PATCH, such as 1.29.0')
      }
    }
  }
  for (const name of names) {
    if (!found.has(name)) report(node.at, 'missing-name', `the platform name "${name}" is missing`)
  }
  const named = names.map((name) => [name, found.get(name) ?? ''])
  for (const name of optional) if (found.has(name)) named.push([name, found.get(name) ?? ''])
  return Object.fromEntries(named) as unknown as Platform
}

/**
 * Replaces `${name}` in strings and keys; an unknown name is a finding. `${Name}` is the name with a capital, `${NAME}`
 * in capitals, as names of types, gates and environment variables need it.
 */
export function substituteFrom(platform: Platform): Substitute {
  const values = new Map(Object.entries(platform).flatMap(([name, value]) => casings(name, value)))
  return (text, at, report) => {
    if (!text.includes('${')) return text
    return text.replace(/\$\{([^{}]*)\}/g, (whole, name: string) => {
      const value = values.get(name)
      if (value !== undefined) return value
      report(
        at,
        'unknown-name',
        `"${whole}" is not a platform name${didYouMean(name, Object.keys(platform))}`,
      )
      return whole
    })
  }
}

/**
 * The three forms of a name, each with its value in the same case.
 * `brand` with the value `orch` gives `${brand}`, `${Brand}` (Orch) and `${BRAND}` (ORCH).
 */
function casings(name: string, value: string): readonly (readonly [string, string])[] {
  const capital = (word: string): string => word.slice(0, 1).toUpperCase() + word.slice(1)
  return [
    [name, value],
    [capital(name), capital(value)],
    [name.toUpperCase(), value.toUpperCase()],
  ]
}
