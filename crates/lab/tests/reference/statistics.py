"""Reference figures for tests/it/statistics.rs, by numpy and scipy: an implementation that shares no line with ours.

    python3 statistics.py gpt-4_single_scores.jsonl > statistics.json

Made with Python 3.11, numpy 2.4, scipy 1.17. Standard errors are jackknife ones (leave a question out), intervals come
from scipy.stats.bootstrap over questions, chances from scipy.stats.permutation_test and binomtest, the difference at
equal length from numpy's least squares (score ~ system + log length) on lengths that both sides make up alike.
"""
import json
import sys
from collections import defaultdict

import numpy as np
from scipy import stats

CATEGORIES = ["writing", "roleplay", "reasoning", "math", "coding", "extraction", "stem", "humanities"]


def read(path):
    scores = defaultdict(dict)
    for line in open(path):
        row = json.loads(line)
        if row["score"] != -1:
            scores[row["model"]][row["question_id"], row["turn"]] = row["score"]
    return scores


def sums(scores):
    questions = sorted({question for question, _ in scores})
    rows = [[scores[key] for key in sorted(scores) if key[0] == question] for question in questions]
    return np.array([sum(row) for row in rows], float), np.array([len(row) for row in rows], float)


def mean(total, count, axis=-1):
    return total.sum(axis=axis) / count.sum(axis=axis)


def jackknife(total, count):
    k = len(total)
    left = (total.sum() - total) / (count.sum() - count)
    return float(np.sqrt((k - 1) / k * ((left - left.mean()) ** 2).sum()))


def interval(total, count):
    found = stats.bootstrap((total, count), mean, paired=True, vectorized=True, n_resamples=20000,
                            method="percentile", rng=np.random.default_rng(1)).confidence_interval
    return [float(found.low), float(found.high)]


def estimate(scores):
    total, count = sums(scores)
    values = np.array(list(scores.values()), float)
    return {"questions": len(total), "n": len(values), "mean": float(mean(total, count)),
            "error": jackknife(total, count), "naive_error": float(stats.sem(values)),
            "interval": interval(total, count)}


def made_up_length(question, turn, score):
    """Any lengths will do that both sides can make: longer for better scores, uneven over questions."""
    return int(100 + 40 * score + (question * 37 + turn * 11) % 200)


def paired(first, second):
    both = sorted(set(first) & set(second))
    difference = {key: second[key] - first[key] for key in both}
    total, count = sums(difference)
    signs = stats.permutation_test((total,), np.sum, permutation_type="samples", n_resamples=20000,
                                   alternative="two-sided", rng=np.random.default_rng(1))
    wins, losses = int((total > 0).sum()), int((total < 0).sum())
    steps = [np.log2(made_up_length(*key, side[key])) for side in (first, second) for key in both]
    points = [side[key] for side in (first, second) for key in both]
    system = np.repeat([0.0, 1.0], len(both))
    _, level, slope = np.linalg.lstsq(np.column_stack([np.ones_like(system), system, steps]), points, rcond=None)[0]
    return {"questions": len(total), "n": len(both), "difference": float(mean(total, count)),
            "error": jackknife(total, count), "interval": interval(total, count), "wins": wins, "losses": losses,
            "p": float(signs.pvalue), "p_sign": float(stats.binomtest(wins, wins + losses).pvalue),
            "equal_length": {"difference": float(level), "per_doubling": float(slope)}}


def main():
    scores = read(sys.argv[1])
    models = {}
    for model, mine in sorted(scores.items()):
        length = np.log2([made_up_length(*key, value) for key, value in mine.items()])
        models[model] = estimate(mine) | {
            "categories": {name: estimate({key: value for key, value in mine.items() if (key[0] - 81) // 10 == at})
                           for at, name in enumerate(CATEGORIES)},
            "length": float(stats.pearsonr(length, list(mine.values())).statistic)}
    names = sorted(scores)
    pairs = [{"first": first, "second": second} | paired(scores[first], scores[second])
             for first, second in zip(names, names[1:])]
    rounded = json.loads(json.dumps({"models": models, "pairs": pairs}), parse_float=lambda x: round(float(x), 6))
    rows = [f'  {json.dumps(name)}: {json.dumps(figures)}' for name, figures in rounded["models"].items()]
    pairs = [f"  {json.dumps(pair)}" for pair in rounded["pairs"]]
    print('{"models": {\n' + ",\n".join(rows) + '\n}, "pairs": [\n' + ",\n".join(pairs) + "\n]}")


main()
