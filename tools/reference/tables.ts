import { parse } from 'yaml'
import { keywordPrefix } from '../../codegen/schema/build/markers.ts'
import type { Marker } from '../../codegen/schema/ir.ts'
import { conversionShape, stepShapes } from '../../codegen/schema/keys/conversion-keys.ts'
import { fileShape, ruleShape, schemaKeywords } from '../../codegen/schema/keys/file-keys.ts'
import { columnShape, kindShape, subresourceShape } from '../../codegen/schema/keys/kind-keys.ts'
import { referenceShape } from '../../codegen/schema/keys/reference-keys.ts'
import type { DescribedKey, DescribedShape, ValueType } from '../../codegen/schema/keys/shape.ts'

/** The keys of one mapping of schema files. */
export interface Table {
  readonly title: string
  readonly about: string
  /** One shape, or several of which a mapping has one. */
  readonly shapes: readonly DescribedShape[]
}

/** Every table of the reference, given the text of `markers.yaml`. */
export function readTables(markers: string): readonly Table[] {
  const { markers: rows } = parse(markers) as { readonly markers: readonly Marker[] }
  return [
    {
      title: 'A schema file',
      about:
        'A file of types and kinds of one version of a group. A folder of them is what `orch generate` reads.',
      shapes: [fileShape],
    },
    {
      title: 'A schema',
      about:
        'The keywords of JSON Schema that say what a value is, and those of orch, which begin with `x-orch-`.',
      shapes: [{ ...schemaKeywords, ...keysOf(rows) }],
    },
    {
      title: 'A kind',
      about:
        'The block `x-orch-kind` makes a definition the root of a kind. Its type has `metadata`, most often `spec` and `status`.',
      shapes: [kindShape],
    },
    {
      title: 'A subresource',
      about: 'One of `subresources` of a kind.',
      shapes: [subresourceShape],
    },
    { title: 'A column', about: 'One of `columns` of a kind.', shapes: [columnShape] },
    {
      title: 'A conversion',
      about: 'How two versions of a kind become each other; `conversion` of the newer one.',
      shapes: [conversionShape],
    },
    {
      title: 'A step of a conversion',
      about: 'One of `steps` of a conversion. It is named by its first key.',
      shapes: Object.values(stepShapes),
    },
    {
      title: 'A rule',
      about: 'One of `x-orch-validations`, in the expression language (CEL).',
      shapes: [ruleShape],
    },
    {
      title: 'A reference',
      about: 'One of `x-orch-references`: a field that names another object.',
      shapes: [referenceShape],
    },
  ]
}

/** Keywords whose values are described by a table. */
const parts: Readonly<Record<string, DescribedKey['parts']>> = {
  kind: { of: 'itself', table: 'A kind' },
  references: { of: 'items', table: 'A reference' },
  validations: { of: 'items', table: 'A rule' },
}

/** The vendor keywords as keys; what several rows say of one is said together. */
function keysOf(markers: readonly Marker[]): DescribedShape {
  const keys: Record<string, DescribedKey> = {}
  for (const { keyword, value, values, on, description, example } of markers) {
    const name = keywordPrefix + keyword
    const type: ValueType = value === 'object' ? 'mapping' : value
    const about = `On ${on.join(', ')}: ${description}`
    const inside = parts[keyword]
    const earlier = keys[name]
    keys[name] = {
      type,
      about: earlier === undefined ? about : `${earlier.about} ${about}`,
      ...(example !== undefined && { example }),
      ...(values && { values }),
      ...(inside && { parts: inside }),
    }
  }
  return keys
}
