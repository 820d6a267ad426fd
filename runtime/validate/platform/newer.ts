/** What a release does not have yet. */
import type { FieldTypes } from '../../kernel/descriptors/field-types.ts'
import type { AnyKind } from '../../kernel/descriptors/kind.ts'
import { apiVersionOf } from '../../kernel/meta/object.ts'
import type { Json } from '../../kernel/values/json.ts'
import { followPath, type LocatedValue, type TextRange } from '../../serializer/serializer.ts'
import type { KnownKinds } from '../kinds/known-kinds.ts'
import { NewerFields } from '../kinds/newer-fields.ts'
import { newerMessage } from '../kinds/versions.ts'
import { finding, type PartFinding } from '../rules/part-finding.ts'

/** Judges objects by the kinds and fields that a release has. */
export class NewerParts {
  readonly #kinds: KnownKinds
  readonly #release: string
  readonly #fields: NewerFields

  constructor(kinds: KnownKinds, types: FieldTypes, release: string) {
    this.#kinds = kinds
    this.#release = release
    this.#fields = new NewerFields(types, release)
  }

  /** True if the release does not have the kind, or a field of the object, yet. */
  has(kind: AnyKind, value: Json): boolean {
    if (newerMessage(this.#kinds.scheme, this.#release, kind) !== undefined) return true
    return this.#fieldsOf(kind, value).next().done === false
  }

  /** What the release does not have yet: the kind, or else fields of it. */
  findings(kind: AnyKind, value: Json, root: LocatedValue<TextRange>): readonly PartFinding[] {
    const message = newerMessage(this.#kinds.scheme, this.#release, kind)
    if (message !== undefined) {
      return [finding('kind.newer', message, followPath(root, 'apiVersion').node.at, 'apiVersion')]
    }
    return [...this.#fieldsOf(kind, value)].map(({ path, since }) => {
      const { entry, node } = followPath(root, path)
      const text = `${path} is there since ${since}, not in ${this.#release}`
      return finding('field.newer', text, entry?.keyAt ?? node.at, path)
    })
  }

  #fieldsOf(kind: AnyKind, value: Json) {
    return this.#fields.of(apiVersionOf(kind), kind.kind, value)
  }
}
