/**
 * The names of a platform, as generated from `schemas/platform/*.yaml`. Hand-written code takes every branded string from
 * here and composes label keys, finalizers and the like where it uses them.
 */
export interface Platform {
  /** `orch`: the word in service names, finalizers and JWT claims. */
  readonly brand: string
  /** `orch`: what daemon and namespace names begin with, before the hyphen. */
  readonly prefix: string
  /** Suffix of API groups: `meta.<api>`. */
  readonly api: string
  /** Suffix of label, annotation, finalizer and taint keys: `<domain>/hostname`. */
  readonly domain: string
  /** `x-<extension>-list-type` in published schema documents. */
  readonly extension: string
  /** `application/vnd.<vendor>.protobuf`. */
  readonly vendor: string
  /** Name of the node agent. */
  readonly agent: string
  /** Name of the command-line client, as it stands in annotations and manager names. */
  readonly client: string
  /** The reversed package path that schema names in published documents begin with: `io.orch`. */
  readonly schemaPackage: string
  /** The described release: `1.29.0`. */
  readonly release: string
  /** The brand and the prefix in the public ecosystem, for what clients read beside our own: variables, files, folders. */
  readonly publicBrand?: string
  readonly publicPrefix?: string
  /** The suffix of label keys and the like in the public ecosystem. */
  readonly publicDomain?: string
  /** The suffix of API groups in the public ecosystem, if it is accepted beside our own. */
  readonly publicApi?: string
  /** The prefix of extension keys in the public ecosystem, if documents have it beside our own. */
  readonly publicExtension?: string
  /** The vendor in the public ecosystem's protobuf media type, if that is accepted beside our own. */
  readonly publicVendor?: string
  /** The name of the node agent in the public ecosystem. */
  readonly publicAgent?: string
}

/** The public ecosystem's names by those of a platform, as generated from `schemas/well-known.yaml` and `schemas/groups.yaml`. */
export interface PublicNames {
  /** Names inside of objects: keys of labels, finalizers and the like. */
  readonly keys: Readonly<Record<string, string>>
  /** Groups of kinds. */
  readonly groups: Readonly<Record<string, string>>
}

/** The prefixes under which extension keys are published, our own first. */
export function extensionPrefixes({ extension, publicExtension }: Platform): readonly string[] {
  const one = publicExtension === undefined || publicExtension === extension
  return one ? [extension] : [extension, publicExtension]
}

/** The names of a built-in group by which clients may refer to it, our own first: `meta.<api>`. */
export function groupNames(group: string, { api, publicApi }: Platform): readonly string[] {
  const one = publicApi === undefined || publicApi === api
  return (one ? [api] : [api, publicApi]).map((suffix) => `${group}.${suffix}`)
}
