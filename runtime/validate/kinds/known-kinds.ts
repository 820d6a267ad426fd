/** The kinds of a run: those of schemas, and those that definitions among its documents make. */
import {
  type CustomKind,
  compileKinds,
  type Definition,
  ExtensibleScheme,
  kindEnvironmentOf,
} from '../../apiextensions/apiextensions.ts'
import { runInSlices } from '../../kernel/async/slices.ts'
import type { AnyKind } from '../../kernel/descriptors/kind.ts'
import type { Scheme } from '../../kernel/descriptors/scheme.ts'
import { apiVersionOf } from '../../kernel/meta/object.ts'
import { nearestName } from '../../kernel/values/spelling.ts'
import {
  customFieldNames,
  type Declarations,
  type FieldNames,
  generatedDeclarations,
  generatedFieldNames,
} from './field-names.ts'

/** Kinds by apiVersion and kind. */
export class KnownKinds {
  readonly #base: Scheme
  readonly #custom: CustomKind[] = []
  #kinds: ReadonlyMap<string, AnyKind> | undefined
  #scheme: Scheme

  constructor(base: Scheme) {
    this.#base = base
    this.#scheme = base
  }

  /** The scheme with the kinds of definitions. */
  get scheme(): Scheme {
    return this.#scheme
  }

  /** Adds the kinds of a valid definition. */
  async define(definition: Definition): Promise<void> {
    const create = await runInSlices(compileKinds(definition, kindEnvironmentOf(this.#base)))
    const served = definition.spec.versions.filter((one) => one.served).map(({ name }) => name)
    this.#custom.push(...create(0).filter(({ kind }) => served.includes(kind.version)))
    this.#scheme = new ExtensibleScheme(this.#base).with(this.#custom)
    this.#kinds = undefined
  }

  /** The kind of a document; undefined for one that is not known. */
  kind(apiVersion: string, kind: string): AnyKind | undefined {
    return this.#table().get(`${apiVersion}/${kind}`)
  }

  /** The names of the fields of a kind. */
  async fieldNames(kind: AnyKind): Promise<FieldNames> {
    const custom = this.custom(kind)
    if (custom !== undefined) return customFieldNames(custom)
    const types = await this.#base.fieldTypes?.()
    return types === undefined
      ? () => []
      : generatedFieldNames(types, apiVersionOf(kind), kind.kind)
  }

  /** The types and fields that paths of a generated kind lead to. */
  async declarations(kind: AnyKind): Promise<Declarations> {
    const types = await this.#base.fieldTypes?.()
    return types === undefined
      ? () => undefined
      : generatedDeclarations(types, apiVersionOf(kind), kind.kind)
  }

  /** What a definition made of a kind; undefined for generated ones. */
  custom(kind: AnyKind): CustomKind | undefined {
    return this.#custom.find((one) => one.kind === kind)
  }

  /** What a document may have meant that names a kind that is not known. */
  nearest(apiVersion: string, kind: string): string | undefined {
    const all = [...this.#table().keys()]
    const split = (key: string) => {
      const at = key.lastIndexOf('/')
      return { apiVersion: key.slice(0, at), kind: key.slice(at + 1) }
    }
    const sameKind = all.filter((key) => split(key).kind === kind)
    if (sameKind.length > 0) {
      return words(split(nearestName(`${apiVersion}/${kind}`, sameKind) ?? (sameKind[0] as string)))
    }
    const sameVersion = all.map(split).filter((one) => one.apiVersion === apiVersion)
    const kinds = sameVersion.length > 0 ? sameVersion : all.map(split)
    const near = nearestName(
      kind,
      kinds.map((one) => one.kind),
    )
    const found = kinds.find((one) => one.kind === near)
    return found && words(found)
  }

  #table(): ReadonlyMap<string, AnyKind> {
    this.#kinds ??= new Map(
      Object.values(this.#scheme.routes).map((kind) => [
        `${apiVersionOf(kind)}/${kind.kind}`,
        kind,
      ]),
    )
    return this.#kinds
  }
}

function words({ apiVersion, kind }: { readonly apiVersion: string; readonly kind: string }) {
  return `${apiVersion} ${kind}`
}
