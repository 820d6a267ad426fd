/** The field errors of a write in the passes that its kind is judged in: some things are judged more than once, and told as often. */
import type { AnyKind, ErrorPass } from '../../kernel/descriptors/kind.ts'
import { metadataChangeErrors, newMetadataErrors } from '../../kernel/meta/metadata-errors.ts'
import type { Metadata } from '../../kernel/meta/object.ts'
import type { FieldError } from '../../kernel/validation/field-error.ts'

type FieldErrors = readonly FieldError[]

/** A write whose errors are told. */
export interface RefusedWrite {
  readonly kind: AnyKind
  readonly subresource?: string | undefined
  readonly metadata: Metadata
  /** The metadata that it replaces; absent for a new object. */
  readonly old?: Metadata | undefined
  /** The brand of the platform, for its own kinds. */
  readonly brand?: string | undefined
  /** What is wrong with the object outside of its metadata. */
  readonly content: FieldErrors
  /** What it may not change of the object that it replaces. */
  readonly changes?: FieldErrors
}

/** Every field error of a write, in the order and as often as it is told; none if nothing is wrong. */
export function errorsInPasses(write: RefusedWrite): FieldErrors {
  const { kind, metadata, old } = write
  const passes = kind.passes?.[nameOfPasses(write)] ?? usualPasses(write)
  const told = passes.flatMap((pass) => errorsOfPass[pass](write))
  if (old !== undefined) return [...everyUpdate(metadata, old), ...told]
  return told.length > 0 ? told : newMetadataErrors('path-segment', metadata)
}

/** What updates of all kinds are judged for first. */
function everyUpdate(metadata: Metadata, old: Metadata): FieldErrors {
  return [...newMetadataErrors('path-segment', metadata), ...metadataChangeErrors(metadata, old)]
}

function nameOfPasses({ old, subresource }: RefusedWrite): string {
  if (old === undefined) return 'create'
  return subresource === undefined || subresource === 'scale' ? 'update' : subresource
}

function usualPasses({ old }: RefusedWrite): readonly ErrorPass[] {
  return old === undefined ? ['whole'] : ['metadata', 'content', 'changes']
}

/** What checks say of the name comes after what is wrong with every such name, and before the rest of the metadata. */
function withNameErrors(metadata: FieldErrors, content: FieldErrors): FieldErrors {
  const isOfName = ({ after }: FieldError): boolean => after === 'metadata.name'
  const names = metadata.filter(({ path }) => namePaths.has(path))
  return [
    ...names,
    ...content.filter(isOfName),
    ...metadata.slice(names.length),
    ...content.filter((error) => !isOfName(error)),
  ]
}

const namePaths: ReadonlySet<string> = new Set(['metadata.generateName', 'metadata.name'])

const errorsOfPass: Readonly<Record<ErrorPass, (write: RefusedWrite) => FieldErrors>> = {
  beforeMetadata: ({ content }) => content.filter((error) => error.beforeMetadata),
  whole: ({ kind, metadata, brand, content }) =>
    withNameErrors(
      newMetadataErrors(kind.nameFormat, metadata, brand),
      content.filter((error) => !error.beforeMetadata),
    ),
  metadata: ({ metadata, old, brand }) =>
    old === undefined ? [] : metadataChangeErrors(metadata, old, brand),
  content: ({ content }) => content.filter((error) => !error.beforeMetadata && !error.asNew),
  changes: ({ changes = [] }) => changes,
}
