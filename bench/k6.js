/* global __ENV */
// The peers' script for k6: the same request again and again. Run by k6, not by Node.
import http from 'k6/http';

export const options = { discardResponseBodies: true };

export default function () {
  http.get(__ENV.URL);
}
