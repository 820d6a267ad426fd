/** Every type that a configuration file may hold, read from a text: what is right passes, what is wrong has its line. */
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { configKinds } from '../../../../generated/config.ts'
import { features } from '../../../../generated/features.ts'
import { configFiles, FeatureGates } from '../../../../runtime/config/config.ts'
import type { ConfigField, ConfigStruct } from '../../../../runtime/kernel/options/config-kind.ts'

const { checkDeclaredKind: checkNamed } = await configFiles()

const types = suite('runtime/config: every configuration type')

type Value = Readonly<Record<string, unknown>>

/** A value with every field; `inside` makes those of one struct, and says so by not being undefined. */
function full(struct: ConfigStruct, inside: (struct: ConfigStruct) => Value | undefined): Value {
  const made = inside(struct)
  if (made !== undefined) return made
  const entries = Object.entries(struct.fields)
  return Object.fromEntries(entries.map(([name, field]) => [name, sample(field, inside)]))
}

function sample(field: ConfigField, inside: (struct: ConfigStruct) => Value | undefined): unknown {
  const of = field.struct?.()
  const one = of === undefined ? scalar(field) : full(of, inside)
  if (field.shape === 'list') return [one]
  return field.shape === 'map' ? { key: one } : one
}

function scalar({ shape: is, type, default: given }: ConfigField): unknown {
  if (given !== undefined && typeof given !== 'object') return given
  if (type.endsWith('boolean')) return true
  if (type.endsWith('duration')) return '1m0s'
  if (type.endsWith('quantity')) return '1Gi'
  if (/time$/.test(type)) return '2024-01-01T00:00:00Z'
  if (/int32$|int64$|number$|integer$/.test(type)) return 1
  if (type === 'map of list of string') return ['eHh4']
  if (type.endsWith('Taint')) return { key: 'a', effect: 'NoSchedule' }
  return is === 'struct' || type === anything ? {} : 'eHh4'
}

const anything = 'raw-extension'

/** A value of another JSON type than the field takes. */
function wrong({ shape: is, type }: ConfigField): unknown {
  return is === 'value' && type !== anything ? { not: 'this' } : 'not this'
}

for (const [key, load] of Object.entries(configKinds)) {
  const kind = await load()
  const structs = new Map<string, ConfigStruct>()
  const collect = (struct: ConfigStruct): void => {
    if (structs.has(struct.name)) return
    structs.set(struct.name, struct)
    for (const { struct: of } of Object.values(struct.fields)) if (of !== undefined) collect(of())
  }
  collect(kind.type)

  /** Each finding with the text of the line that it is at. */
  const mistakes = async (value: Value) => {
    const head = { apiVersion: kind.apiVersion, kind: kind.kind }
    const text = JSON.stringify({ ...head, ...value }, null, 1)
    const lines = text.split('\n')
    const source = { name: 'f', text, origin: 'file' } as const
    const findings = await checkNamed(configKinds, source, new FeatureGates(features))
    return findings.map(({ location: place, message }) => ({
      line: lines[(place.position?.line ?? 0) - 1]?.trim() ?? '',
      message,
    }))
  }
  const only = (name: string, value: Value) =>
    mistakes(full(kind.type, (struct) => (struct.name === name ? value : undefined)))

  types(`${key}: a value of every field is of its type`, async () => {
    const found = await mistakes(full(kind.type, () => undefined))
    const of = found.filter(({ message }) => /must be an? |unknown field|Required/.test(message))
    const mistyped = of.filter(
      ({ message }) => !/: "eHh4" must be|must be a (quantity|duration)/.test(message),
    )
    assert.equal(mistyped, [])
  })

  for (const struct of structs.values()) {
    const fields = Object.entries(struct.fields)
    if (fields.length === 0) continue

    types(
      `${key}: fields of another type, and unknown ones, of ${struct.name} are found`,
      async () => {
        const value = Object.fromEntries(fields.map(([name, field]) => [name, wrong(field)]))
        const found = await only(struct.name, { ...value, nonsense: 1 })
        for (const [name, field] of fields) {
          if (field.type === anything) continue
          const at = found.find(
            ({ line, message }) =>
              line.startsWith(`"${name}":`) && message.includes(`${name}: must be`),
          )
          assert.ok(at, `${name}: ${JSON.stringify(found)}`)
        }
        const unknown = found.find(({ message }) => /(^|\.)nonsense: unknown field/.test(message))
        assert.is(unknown?.line, '"nonsense": 1')
      },
    )

    types(`${key}: what ${struct.name} has to say is missed`, async () => {
      const found = await only(struct.name, {})
      for (const [name, { required }] of fields) {
        if (required !== true) continue
        const missed = found.some(({ message }) => message.endsWith(`${name}: Required value`))
        assert.ok(missed, `${name}: ${JSON.stringify(found)}`)
      }
    })
  }
}

types.run()
