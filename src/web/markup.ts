/**
 * Converts components to HTML, so that the HTML report works without a script.
 *
 * @remarks Components must be stateless functions of their properties.
 */
import type { ComponentChildren } from 'preact';

type Properties = Readonly<Record<string, unknown>> & { readonly children?: ComponentChildren };
type Component = (properties: Properties) => ComponentChildren;

const VOID_ELEMENTS = new Set(['br', 'col', 'hr', 'input', 'link', 'meta']);

/** Text and attribute values are escaped. */
export function toMarkup(children: ComponentChildren): string {
  if (children === null || children === undefined || typeof children === 'boolean') return '';
  if (Array.isArray(children)) return children.map(toMarkup).join('');
  if (typeof children !== 'object') return escapeHtml(String(children));
  // All other objects are JSX elements: HTML elements, or components with their properties.
  const { type, props } = children as { readonly type: string | Component; readonly props: Properties };
  if (typeof type === 'function') return toMarkup(type(props));
  const { children: content, ...attributes } = props;
  const startTag = `<${type}${Object.entries(attributes).map(attributeMarkup).join('')}>`;
  return VOID_ELEMENTS.has(type) ? startTag : `${startTag}${toMarkup(content)}</${type}>`;
}

function attributeMarkup([name, value]: readonly [string, unknown]): string {
  if (value === null || value === undefined || value === false) return '';
  if (value === true) return ` ${name}=""`;
  if (typeof value !== 'string' && typeof value !== 'number')
    throw new Error(`Bug: the value of ${name} is not a string or number`);
  return ` ${name}="${escapeHtml(String(value))}"`;
}

/** Escapes a string for element content and for attributes in double quotes. */
export function escapeHtml(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;');
}
