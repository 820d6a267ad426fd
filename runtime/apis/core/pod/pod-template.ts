/** The rules and cells of PodTemplate, a template that is an object of its own. */
import type { ApiObject } from '../../../kernel/meta/object.ts'
import { formatContainers, formatLabels } from '../../printers/format.ts'
import { change } from '../../strategy/change.ts'
import type { Strategy } from '../../strategy/strategy.ts'
import type { PodTemplate } from '../../types/shapes.ts'
import { checkTemplate, defaultTemplate } from './pod-template-spec.ts'
import { templateWarnings } from './pod-warnings.ts'

interface StoredTemplate extends ApiObject {
  readonly template?: PodTemplate
}

/** Whatever a pod may be, a stored template may be. */
export const storedTemplate: Strategy = {
  defaults(object) {
    const { template } = object as StoredTemplate
    if (template === undefined) return object
    return change(object as StoredTemplate, { template: defaultTemplate(template) })
  },
  warn(object, old) {
    const { template } = object as StoredTemplate
    return templateWarnings(
      'template',
      template,
      template,
      (old as StoredTemplate | undefined)?.template,
    )
  },
  validate(object) {
    const { template } = object as StoredTemplate
    return template === undefined ? [] : checkTemplate('template', template)
  },
}

export function storedTemplateContainers(object: ApiObject): string {
  return formatContainers((object as StoredTemplate).template, ({ name }) => name)
}

export function storedTemplateImages(object: ApiObject): string {
  return formatContainers((object as StoredTemplate).template, ({ image }) => image)
}

export function storedTemplateLabels(object: ApiObject): string {
  return formatLabels((object as StoredTemplate).template?.metadata?.labels)
}
