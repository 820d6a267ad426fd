/** The definitions of a run: what they make, and what their documents say of it. */
import type { CustomKind } from '../../apiextensions/apiextensions.ts'
import { definedReferences } from '../../kernel/descriptors/defined-references.ts'
import type { FieldTypes } from '../../kernel/descriptors/field-types.ts'
import { isObject, type Json, type JsonObject } from '../../kernel/values/json.ts'
import { followPath, type LocatedValue, type TextRange } from '../../serializer/serializer.ts'
import { schemaPath } from '../kinds/field-names.ts'
import type { Declaration } from '../rules/finding.ts'

/** The document of a definition. */
interface DefinitionDocument {
  readonly file: string
  readonly root: LocatedValue<TextRange>
  readonly value: JsonObject
}

/** A kind of a definition. */
interface GroupKind {
  readonly group: string
  readonly kind: string
}

/** Nothing is known of fields. */
export const noTypes: FieldTypes = { structs: {}, unions: {}, kinds: {} }

/** Documents of definitions, by the kinds that they make. */
export class Definitions {
  /** By `group/kind`. */
  readonly #documents = new Map<string, DefinitionDocument>()
  /** Kinds whose definition is wrong, as `group/kind`. */
  readonly #wrong = new Set<string>()
  /** What they say of references, once it was asked for. */
  readonly #references = new Map<string, FieldTypes>()

  /** True for a definition of a kind that another one made. */
  makes(definition: JsonObject): boolean {
    return this.#documents.has(definedKind(definition))
  }

  /** Takes a definition whose kind is known. */
  add(document: DefinitionDocument): void {
    this.#documents.set(definedKind(document.value), document)
  }

  /** Takes a definition that makes no kind, since it is wrong. */
  addWrong(definition: JsonObject): void {
    this.#wrong.add(definedKind(definition))
  }

  /** True for a kind whose definition is wrong. */
  isWrong({ group, kind }: GroupKind): boolean {
    return this.#wrong.has(`${group}/${kind}`)
  }

  /** The document that makes a kind. */
  of({ group, kind }: GroupKind): DefinitionDocument | undefined {
    return this.#documents.get(`${group}/${kind}`)
  }

  /** What the definition of a kind says of its references. */
  types(kind: GroupKind, base: FieldTypes): FieldTypes {
    const definition = this.of(kind)
    if (definition === undefined) return noTypes
    const key = `${kind.group}/${kind.kind}`
    const types = this.#references.get(key) ?? definedReferences(definition.value, base).types
    this.#references.set(key, types)
    return types
  }

  /** The place of a field in the document of its definition. */
  declared(custom: CustomKind, path: string): Declaration | undefined {
    const { group, version, kind } = custom.kind
    const found = this.of(custom.kind)
    if (found === undefined) return undefined
    const versions = followPath(found.root, 'spec.versions').node
    const index =
      versions.is === 'list'
        ? versions.items.findIndex((one) => scalarAt(one, 'name') === version)
        : -1
    const below = schemaPath(custom, path)
    const place = `spec.versions[${index}].schema.openAPIV3Schema${below}`
    const { node, entry } = followPath(found.root, place)
    const field = below.slice(below.lastIndexOf('.') + 1)
    const { line } = entry?.keyAt ?? node.at
    return { type: `${group}/${version}.${kind}`, ...(below && { field }), file: found.file, line }
  }
}

function scalarAt(node: LocatedValue<TextRange>, path: string): Json | undefined {
  const found = followPath(node, path)
  return found.complete && found.node.is === 'scalar' ? found.node.value : undefined
}

/** `group/kind` of a definition. */
function definedKind({ spec }: JsonObject): string {
  const { group, names } = isObject(spec) ? spec : {}
  return `${String(group)}/${String(isObject(names) ? names.kind : '')}`
}
