from .association import center_by_setting as center_by_setting, group_sums as group_sums, pearson as pearson
from .association import ranks as ranks, weighted_slope as weighted_slope
from .bounds import BEST as BEST, MAX_MISSING as MAX_MISSING, MISSING as MISSING, WEIGHT as WEIGHT, WORST as WORST
from .bounds import add_cases as add_cases, cases_of as cases_of, count_established as count_established
from .bounds import gap_cases as gap_cases
from .calibration import BINS as BINS, area_under_roc as area_under_roc, bin_name as bin_name, bin_of as bin_of
from .calibration import reliability as reliability
from .clustered_errors import Errors as Errors, bias_reduced_errors as bias_reduced_errors
from .clustered_errors import errors_over_seeds as errors_over_seeds, errors_over_settings as errors_over_settings
from .columns import Columns as Columns, Rows as Rows, Tabular as Tabular, factorize as factorize
from .columns import find_labels as find_labels, has_different_seats as has_different_seats, is_in as is_in
from .columns import nan_if_none as nan_if_none, select_common_opponents as select_common_opponents
from .columns import sorted_roles as sorted_roles, values_of as values_of
from .daily_medians import mean_of_daily_medians as mean_of_daily_medians
from .estimates import MEDIAN as MEDIAN, RATIOS as RATIOS, TAIL as TAIL, TRIMMED as TRIMMED, Difference as Difference
from .estimates import Population as Population, cases_per_unit as cases_per_unit, clusters_of as clusters_of
from .estimates import describe_population as describe_population, differences as differences, estimate as estimate
from .estimates import gaps_to_best as gaps_to_best, mean_over_groups as mean_over_groups, population as population
from .estimates import robust_means as robust_means, share_cases as share_cases
from .information import max_information as max_information, mutual_information as mutual_information
from .information import permutation_p_value as permutation_p_value
from .intervals import CONFIDENCE as CONFIDENCE, MIN_CLUSTERS as MIN_CLUSTERS, IdenticalClusters as IdenticalClusters
from .intervals import Interval as Interval, TooFewClusters as TooFewClusters, difference_ends as difference_ends
from .intervals import holm as holm, interval_ends as interval_ends, payoff_ends as payoff_ends, precision as precision
from .intervals import quantile_of_t as quantile_of_t, ratios as ratios, wilson as wilson
from .jackknife import FISHER_SCALE as FISHER_SCALE, Statistic as Statistic, jackknife as jackknife
from .jackknife import jackknife_clusters as jackknife_clusters
from .outcomes import HEADINGS as HEADINGS, LEGEND as LEGEND, RATES as RATES, count_outcomes as count_outcomes
from .pair_payoffs import Estimate as Estimate, Observation as Observation, estimate_pairs as estimate_pairs
from .repeats import course_hash as course_hash, describe_repeats as describe_repeats, pairing as pairing
from .repeats import remove_repeats as remove_repeats
from .students_t import (
    mean_of_draws as mean_of_draws,
    p_value_of_mean as p_value_of_mean,
    predict_draw as predict_draw,
    quantile as quantile,
)
from .survival_curve import median_interval as median_interval, survival as survival
