import {
  annotationBytes,
  annotationKeyProblems,
  mostAnnotationBytes,
} from '../../kernel/meta/annotations.ts'
import type { Metadata } from '../../kernel/meta/object.ts'
import type { Check } from '../../kernel/walker/field.ts'
import { labels } from './formats.ts'

/** The annotations of a template: keys are qualified names, and all of them together are not too much. */
export const annotations: Check<Readonly<Record<string, string>>> = (field) => {
  for (const key of Object.keys(field.value)) {
    field.invalidAll('', annotationKeyProblems(key), key)
  }
  if (annotationBytes(field.value) > mostAnnotationBytes) field.tooLong('', mostAnnotationBytes)
}

/** The metadata of a template has labels and annotations, and nothing else that a single object has. */
export const templateMetadata: Check<Metadata> = (metadata) => {
  metadata.when('annotations', annotations)
  metadata.when('labels', labels)
  for (const [key, value] of Object.entries(metadata.value)) {
    if (key === 'annotations' || key === 'labels' || value === null || value === undefined) continue
    metadata.forbidden(key as keyof Metadata & string, 'cannot be set')
  }
}
