// A component that is drawn again only if its properties changed. Preact keeps this in its compatibility package, which
// would bring much else along.

import { Component, h } from 'preact';

export function memo(View, same = shallow) {
  return class extends Component {
    shouldComponentUpdate(next) {
      return !same(this.props, next);
    }
    render() {
      return h(View, this.props);
    }
  };
}

function shallow(a, b) {
  const keys = Object.keys(b);
  return keys.length === Object.keys(a).length && keys.every((key) => a[key] === b[key]);
}
