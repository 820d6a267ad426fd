import type { FieldType } from '../../kernel/descriptors/field-types.ts'

/** The types with a text form of their own, by the names that public servers give them. */
const names: Readonly<Record<FieldType, string>> = {
  bytes: '[]uint8',
  time: 'v1.Time',
  'micro-time': 'v1.MicroTime',
  duration: 'v1.Duration',
  quantity: 'resource.Quantity',
  'int-or-string': 'intstr.IntOrString',
  'raw-extension': 'runtime.RawExtension',
  'fields-v1': 'v1.FieldsV1',
  any: 'v1.JSON',
}

/** A type as messages name it: `[]core/v1.Container` gives `[]v1.Container`. */
export function typeName(type: FieldType): string {
  if (type.startsWith('[]')) return `[]${typeName(type.slice(2))}`
  const map = 'map[string]'
  if (type.startsWith(map)) return map + typeName(type.slice(map.length))
  return Object.hasOwn(names, type) ? names[type]! : type.slice(type.lastIndexOf('/') + 1)
}
