import type { Ingress } from '../../../generated/apis/networking/v1/ingress.ts'
import type { PluginFactory } from '../chain/plugin.ts'
import { findDefaultClass, isCreation } from './default-classes.ts'

/**
 * DefaultIngressClass sets the class of new ingresses that name none (supplement Q-19). An ingress
 * with the annotation from before `ingressClassName` counts as one that names its class.
 */
export const defaultIngressClass: PluginFactory = (context) => {
  const { api, domain } = context.scheme.platform
  const defaultMarks = [`ingressclass.${domain}/is-default-class`]
  const deprecatedAnnotation = `${domain}/ingress.class`
  return {
    handles: (request) => isCreation(request, `networking.${api}`, 'ingresses'),
    mutate({ object }) {
      const ingress = object as Ingress | undefined
      if (ingress === undefined || ingress.spec?.ingressClassName !== undefined) return ingress
      if (Object.hasOwn(ingress.metadata.annotations ?? {}, deprecatedAnnotation)) return ingress
      const path = `apis/networking.${api}/v1/ingressclasses`
      const ingressClassName = findDefaultClass(context, path, defaultMarks)
      return ingressClassName
        ? { ...ingress, spec: { ...ingress.spec, ingressClassName } }
        : ingress
    },
  }
}
