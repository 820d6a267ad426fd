/** The names of `well-known.yaml`, as the platform and as the public ecosystem has them. */
import type { Platform } from '../../../runtime/kernel/descriptors/platform.ts'
import { didYouMean } from '../../../runtime/kernel/values/spelling.ts'
import type { Report } from '../finding.ts'
import type { WellKnownName, WithPosition } from '../ir.ts'
import type { Shape } from '../keys/shape.ts'
import { get, text, type YamlNode } from '../yaml/node.ts'
import { oneOf, rows } from './server-facts.ts'

const nameShape: Shape = {
  constant: 'string!',
  name: 'string!',
  of: 'string!',
  description: 'string!',
}

const sorts = ['annotation', 'finalizer', 'label', 'secret type', 'signer', 'taint']

/** The names of a platform that a row may mention, and where those of the public ecosystem are. */
const parts = {
  domain: 'publicDomain',
  api: 'publicApi',
  prefix: 'publicPrefix',
  agent: 'publicAgent',
} as const satisfies Partial<Record<keyof Platform, keyof Platform>>

type Part = keyof typeof parts

/** The names that `well-known.yaml` lists. One that stands twice is reported, and both rows are kept. */
export function buildWellKnown(
  node: YamlNode | undefined,
  platform: Platform,
  report: Report,
): readonly WithPosition<WellKnownName>[] {
  const taken = new Set<string>()
  return rows(node, 'names', 'a well-known name', nameShape, report).map((row) => {
    const part = (key: keyof typeof nameShape): string => text(get(row, key)) ?? ''
    const constant = part('constant')
    if (!/^[a-z][A-Za-z0-9]*$/.test(constant)) {
      report(row.at, 'wrong-value', `"${constant}" cannot be the name of a constant`)
    }
    for (const each of [constant, part('name')]) {
      if (taken.has(each))
        report(row.at, 'duplicate-name', `"${each}" is already a well-known name`)
      taken.add(each)
    }
    oneOf(get(row, 'of'), '"of"', sorts, report)
    const name = filled(part('name'), (key) => platform[key])
    const publicName = filled(part('name'), (key) => platform[parts[key]] ?? platform[key])
    reportUnknown(get(row, 'name'), report)
    return {
      ...{ constant, name, of: part('of'), description: part('description'), at: row.at },
      ...(publicName !== name && { publicName }),
    }
  })
}

function filled(name: string, textFor: (part: Part) => string): string {
  return name.replace(/\{([^{}]*)\}/g, (whole, part: string) =>
    Object.hasOwn(parts, part) ? textFor(part as Part) : whole,
  )
}

function reportUnknown(name: YamlNode | undefined, report: Report): void {
  const left = /\{([^{}]*)\}/.exec(filled(text(name) ?? '', () => ''))
  if (name === undefined || left === null) return
  const hint = didYouMean(left[1] ?? '', Object.keys(parts))
  report(name.at, 'unknown-name', `"${left[0]}" is no part of a well-known name${hint}`)
}
