"""Binary heaps in lists. The layout of the list after each operation is CPython's:
a removed root is replaced by walking the smaller children up to a leaf, then sifting back.
"""

__all__ = [
    "heappush", "heappop", "heapify", "heapreplace", "merge", "nlargest", "nsmallest",
    "heappushpop",
]


def _rise(heap, start, position):
    item = heap[position]
    while position > start:
        parent = (position - 1) >> 1
        other = heap[parent]
        if not item < other:
            break
        heap[position] = other
        position = parent
    heap[position] = item


def _sink(heap, position):
    end = len(heap)
    start = position
    item = heap[position]
    child = 2 * position + 1
    while child < end:
        right = child + 1
        if right < end and not heap[child] < heap[right]:
            child = right
        heap[position] = heap[child]
        position = child
        child = 2 * position + 1
    heap[position] = item
    _rise(heap, start, position)


def _rise_max(heap, start, position):
    item = heap[position]
    while position > start:
        parent = (position - 1) >> 1
        other = heap[parent]
        if not other < item:
            break
        heap[position] = other
        position = parent
    heap[position] = item


def _sink_max(heap, position):
    end = len(heap)
    start = position
    item = heap[position]
    child = 2 * position + 1
    while child < end:
        right = child + 1
        if right < end and not heap[right] < heap[child]:
            child = right
        heap[position] = heap[child]
        position = child
        child = 2 * position + 1
    heap[position] = item
    _rise_max(heap, start, position)



def heappush(heap, item):
    if not isinstance(heap, list):
        raise TypeError(f"heappush() argument 1 must be list, not {type(heap).__name__}")
    heap.append(item)
    _rise(heap, 0, len(heap) - 1)


def heappop(heap):
    if not isinstance(heap, list):
        raise TypeError(f"heappop() argument must be list, not {type(heap).__name__}")
    if not heap:
        raise IndexError("index out of range")
    last = heap.pop()
    if not heap:
        return last
    smallest = heap[0]
    heap[0] = last
    _sink(heap, 0)
    return smallest


def heapify(heap):
    if not isinstance(heap, list):
        raise TypeError(f"heapify() argument must be list, not {type(heap).__name__}")
    for position in range(len(heap) // 2 - 1, -1, -1):
        _sink(heap, position)


def heapreplace(heap, item):
    if not isinstance(heap, list):
        raise TypeError(f"heapreplace() argument 1 must be list, not {type(heap).__name__}")
    if not heap:
        raise IndexError("index out of range")
    smallest = heap[0]
    heap[0] = item
    _sink(heap, 0)
    return smallest


def heappushpop(heap, item):
    if not isinstance(heap, list):
        raise TypeError(f"heappushpop() argument 1 must be list, not {type(heap).__name__}")
    if heap and heap[0] < item:
        item, heap[0] = heap[0], item
        _sink(heap, 0)
    return item


def _heapify_max(heap):
    for position in range(len(heap) // 2 - 1, -1, -1):
        _sink_max(heap, position)


def _heappop_max(heap):
    if not heap:
        raise IndexError("index out of range")
    last = heap.pop()
    if not heap:
        return last
    largest = heap[0]
    heap[0] = last
    _sink_max(heap, 0)
    return largest


def _heapreplace_max(heap, item):
    if not heap:
        raise IndexError("index out of range")
    largest = heap[0]
    heap[0] = item
    _sink_max(heap, 0)
    return largest


def nsmallest(n, iterable, key=None):
    return sorted(iterable, key=key)[: max(n, 0)]


def nlargest(n, iterable, key=None):
    return sorted(iterable, key=key, reverse=True)[: max(n, 0)]


class _Source:
    """The next value of one input of `merge`, ordered by key and then by input number."""

    def __init__(self, key, order, value, iterator, descending):
        self.key = key
        self.order = order
        self.value = value
        self.iterator = iterator
        self.descending = descending

    def __lt__(self, other):
        if self.descending:
            if other.key < self.key:
                return True
            return not self.key < other.key and self.order < other.order
        if self.key < other.key:
            return True
        return not other.key < self.key and self.order < other.order


def merge(*iterables, key=None, reverse=False):
    heap = []
    for order, iterable in enumerate(iterables):
        iterator = iter(iterable)
        for value in iterator:
            rank = value if key is None else key(value)
            heap.append(_Source(rank, order, value, iterator, reverse))
            break
    heapify(heap)
    while heap:
        source = heap[0]
        yield source.value
        for value in source.iterator:
            source.value = value
            source.key = value if key is None else key(value)
            _sink(heap, 0)
            break
        else:
            heappop(heap)
